import { hash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { revokeKey, rotateKey } from '../../src/auth/keys.ts';
import { type Config, readConfig } from '../../src/config.ts';
import { startApp } from '../support/app.ts';
import { operatorFork } from '../support/data.ts';
import { fullBody } from '../support/menu-body.ts';
import { writeSet } from '../support/operations.ts';
import { startPurgeReceiver } from '../support/purges.ts';

const routes = writeSet('edge', {
  'edge.graphql': `query getCard($store_id: ID!, $languages: [String!]! = []) @route(path: "/cards/{store_id}") {
  store(id: $store_id) { id menus { externalId name { text(languages: $languages) } } }
}
query getOwner($store_id: ID!) @route(path: "/owners/{store_id}") { store(id: $store_id) { id merchant { id } } }`,
});
const receiver = await startPurgeReceiver();
const { edge } = readConfig({
  CARTE_EDGE_SECONDS: '600',
  CARTE_EDGE_STALE_SECONDS: '30',
  CARTE_EDGE_PURGE: 'http',
  CARTE_EDGE_PURGE_URLS: receiver.url,
  CARTE_EDGE_PURGE_REQUEST: '{"headers":{"token":"secret","surrogate-key":"{tags}"},"body":"{\\"tags\\":{tagsJson}}"}',
  CARTE_EDGE_PURGE_AGAIN_SECONDS: '1',
});
const settings: Partial<Config> = { operations: [routes], edge };
const app = await startApp(settings);
const page = 'https://menu.example';
const merchant = await app.data.merchant();
const baixa = await app.data.store({ id: 'baixa, 1', merchant: merchant.id });
const inUrl = encodeURIComponent(baixa.id);
const tag = `baixa%2C%201`;
expect((await app.post(`/v1/stores/${inUrl}/menu_configuration/`, fullBody())).status).toBe(200);

const issue = (origins: string[], request = {}) =>
  app.newKey({ publishable: true, permissions: [], origins, ...request });
const key = await issue([page]);
const idOf = async (name: string) =>
  (await app.orm.em.fork().execute<{ id: string }[]>('select id from api_key where name = ?', [name]))[0]?.id ?? '';

const graphql = (query: string, parameters: Record<string, string> = { key }, headers = {}) => {
  const variables = JSON.stringify({ id: baixa.id });
  return app.get(`/graphql?${new URLSearchParams({ query, variables, ...parameters })}`, {
    'x-api-key': '',
    ...headers,
  });
};
const menu = 'query Menu($id: ID!) { store(id: $id) { menus { externalId } } }';
const cachingOf = ({ headers }: { readonly headers: Headers }) => headers.get('cache-control');
const full = 'public, max-age=0, s-maxage=600, stale-while-revalidate=30';

describe('A read with the key in the URL', () => {
  test('is public, with the tags of what it depends on, and varies by its encoding alone', async () => {
    const named = await issue([page], { name: 'tags' });
    const tags = ['carte', `store:${tag}`, `menu:${tag}`, `key:${await idOf('tags')}`];
    for (const path of [
      `/graphql?${new URLSearchParams({ query: menu, variables: JSON.stringify({ id: baixa.id }), key: named })}`,
      `/cards/${inUrl}?key=${named}`,
    ]) {
      const { status, headers } = await app.get(path, { 'x-api-key': '', origin: page });
      expect([status, headers.get('cache-control'), headers.get('vary')]).toEqual([200, full, 'accept-encoding']);
      expect([headers.get('cache-tag'), headers.get('surrogate-key')]).toEqual([tags.join(','), tags.join(' ')]);
      expect(headers.get('access-control-allow-origin')).toBe(page);
      // The same for a page and a client that is none, and for those that prefer another media type.
      const accept = 'application/graphql-response+json';
      const other = await app.get(path, { 'x-api-key': '', accept, 'if-none-match': headers.get('etag') ?? '' });
      expect([other.status, cachingOf(other), other.headers.get('access-control-allow-origin')]).toEqual([
        304,
        full,
        page,
      ]);
      expect(other.headers.get('etag')).toBe(headers.get('etag'));
    }
    const { headers } = await graphql('query ($id: ID!) { store(id: $id) { name { text } specialHours { date } } }');
    const ofStore = await graphql('query ($id: ID!) { store(id: $id) { name { text } specialHours { date } } }');
    expect([cachingOf({ headers }), cachingOf(ofStore)]).toEqual([full, full]);
    expect(ofStore.headers.get('cache-tag')).not.toContain('menu:');
  });

  test('is found by the id of a document, and by the hash of one that was sent', async () => {
    const sha256Hash = hash('sha256', menu);
    const extensions = JSON.stringify({ persistedQuery: { version: 1, sha256Hash } });
    const byHash = () =>
      app.get(`/graphql?${new URLSearchParams({ extensions, variables: JSON.stringify({ id: baixa.id }), key })}`, {
        'x-api-key': '',
      });
    expect(cachingOf(await byHash())).toBe('no-store');
    await graphql(menu, { extensions, key });
    expect(cachingOf(await byHash())).toBe(full);
    const variables = JSON.stringify({ store_id: baixa.id });
    const byId = await app.get(`/graphql?${new URLSearchParams({ documentId: 'getCard', variables, key })}`, {
      'x-api-key': '',
      accept: 'text/html',
    });
    expect([byId.status, cachingOf(byId)]).toEqual([200, full]);
  });

  test('is not public where it depends on more, is an error, or has the key elsewhere', async () => {
    const several = await issue([page, 'https://other.example']);
    const privately = async (
      response: Promise<{ readonly headers: Headers }>,
      expected = /^(?:no-store|private, no-cache)$/,
    ) => expect(cachingOf(await response)).toMatch(expected);
    for (const times of [1, 2]) {
      await privately(
        graphql('query ($id: ID!) { store(id: $id) { merchant { id } } }'),
        times === 1 ? undefined : /no-store/,
      );
      await privately(app.get(`/owners/${inUrl}?key=${key}`, { 'x-api-key': '' }));
      await privately(graphql('{ store(id: "unknown") { menus { id } } }'));
      await privately(graphql('{ stores { totalCount } }'));
      await privately(graphql('{ a'));
      await privately(graphql(menu, { key: several }));
      await privately(graphql(menu, {}, { 'x-api-key': key }));
      await privately(graphql(menu, {}, { 'x-api-key': app.key }));
      await privately(graphql(menu, { key }, { 'x-carte-cost': 'body' }));
    }
  });

  test('neither takes a secret key, nor two', async () => {
    for (const path of [`/cards/${inUrl}`, `/graphql?${new URLSearchParams({ query: '{ stores { totalCount } }' })}`]) {
      const separator = path.includes('?') ? '&' : '?';
      for (const [given, header, message] of [
        [app.key, '', 'does not belong into a URL'],
        [app.key, app.key, 'does not belong into a URL'],
        [key, app.key, 'in the URL and in the header'],
      ] as const) {
        const { status, text, headers } = await app.get(`${path}${separator}key=${given}`, { 'x-api-key': header });
        expect([status, headers.get('cache-control')]).toEqual([401, 'no-store']);
        expect(text).toContain(message);
      }
    }
    const posted = await app.post(`/graphql?key=${key}`, { query: menu }, { 'x-api-key': '' });
    expect(posted.status).toBe(401);
  });

  test('of which nothing is known is refused with the name of the parameter', async () => {
    for (const path of [`/cards/${inUrl}?`, '/graphql?query={viewer{id}}&']) {
      const inParameter = await app.get(`${path}key=carte_pub_unknown`, { 'x-api-key': '' });
      expect([inParameter.status, inParameter.text]).toEqual([
        401,
        expect.stringContaining('in the parameter key is not known'),
      ]);
      const inHeader = await app.get(path, { 'x-api-key': 'carte_pub_unknown' });
      expect([inHeader.status, inHeader.text]).toEqual([
        401,
        expect.stringContaining('in the header x-api-key is not known'),
      ]);
    }
  });

  test('from a page of another origin is refused, and a stored one is for that of the key alone', async () => {
    const refused = await graphql(menu, { key }, { origin: 'https://evil.example' });
    expect([refused.status, cachingOf(refused)]).toEqual([403, 'no-store']);
    const withoutOrigins = await graphql(menu, { key: await issue([]) });
    expect([cachingOf(withoutOrigins), withoutOrigins.headers.get('access-control-allow-origin')]).toEqual([
      full,
      null,
    ]);
  });

  test('has a lifetime that ends when something of the store, or the key, ends', async () => {
    const store = await app.data.store();
    await app.data.menu(store);
    const query =
      'query ($id: ID!) { store(id: $id) { ordering { state until } menus(availableAt: "2026-03-07T01:30:00Z") { id } } }';
    const read = async (parameters: Record<string, string> = { key }) => {
      const variables = JSON.stringify({ id: store.id });
      const responses = [
        await graphql(query, { ...parameters, variables }),
        await graphql(query, { ...parameters, variables }),
      ];
      return /s-maxage=(\d+), stale-while-revalidate=(\d+)/
        .exec(cachingOf(responses.at(-1) ?? { headers: new Headers() }) ?? '')
        ?.slice(1)
        .map(Number);
    };
    expect(await read()).toEqual([600, 30]);
    const setOrdering =
      'mutation ($input: SetStoreOrderingInput!) { setStoreOrdering(input: $input) { store { id } } }';
    const pause = (seconds: number) => {
      const until = new Date(Date.now() + seconds * 1_000);
      return app.graphql(setOrdering, { input: { storeId: store.id, state: 'PAUSED', until } });
    };
    await pause(300);
    const [lifetime = 0, stale] = (await read()) ?? [];
    expect(lifetime).toBeGreaterThan(200);
    expect([lifetime <= 300, stale]).toEqual([true, 0]);
    await pause(610);
    const [longer, allowed = 99] = (await read()) ?? [];
    expect([longer, allowed <= 10]).toEqual([600, true]);
    const expiring = await issue([], { expiresAt: new Date(Date.now() + 60_000) });
    expect((await read({ key: expiring }))?.[0]).toBeLessThanOrEqual(60);
  });
});

describe('A change', () => {
  const change = async (mutation: string, input: object) => {
    const type = `${mutation.slice(0, 1).toUpperCase()}${mutation.slice(1)}Input`;
    const { body } = await app.graphql(`mutation ($input: ${type}!) { ${mutation}(input: $input) { __typename } }`, {
      input,
    });
    expect(body.errors).toBeUndefined();
  };

  test('purges its tags, in order and again, by the template', async () => {
    // Earlier changes are no longer to be purged again.
    await receiver.until(async () => {
      const isDone = 'select repeated >= (select max(position) from event) as done from edge_cache';
      return (await app.orm.em.fork().execute<{ done: boolean }[]>(isDone))[0]?.done === true;
    });
    const seen = receiver.all.length;
    const storeId = baixa.id;
    await change('changePrices', { storeId, items: [{ externalId: 'espresso', price: 1_000 + seen }] });
    await receiver.until(() => receiver.tagsSince(seen).includes(`menu:${tag}`));
    await change('setStoreOrdering', { storeId, state: 'PAUSED', reason: `after ${seen}` });
    await receiver.until(() => receiver.tagsSince(seen).includes(`store:${tag}`));
    await receiver.until(() => receiver.tagsSince(seen).filter(sent => sent === `store:${tag}`).length === 2);
    const sentTags = receiver.tagsSince(seen).filter(sent => sent.endsWith(`:${tag}`));
    expect(sentTags.slice(0, 2)).toEqual([`menu:${tag}`, `store:${tag}`]);
    // Those that are due together are in one request.
    expect(sentTags.slice(2).sort()).toEqual([`menu:${tag}`, `store:${tag}`]);
    const [{ method, headers, body } = { method: '', headers: {}, body: '' }] = receiver.all.slice(seen);
    expect([method, headers.token, headers['surrogate-key'], JSON.parse(body)]).toEqual([
      ...['POST', 'secret', `menu:${tag}`],
      { tags: [`menu:${tag}`] },
    ]);
  });

  test('of a key, revoked or rotated, purges what was served for it, and no secret key is known to caches', async () => {
    const seen = receiver.all.length;
    const [rotated, revoked] = [await issue([], { name: 'rotated' }), await issue([], { name: 'revoked' })];
    expect(cachingOf(await graphql(menu, { key: revoked }))).toBe(full);
    await app.newKey({ name: 'secret' });
    await revokeKey(operatorFork(app.orm), await idOf('secret'));
    await rotateKey(operatorFork(app.orm), await idOf('rotated'));
    await revokeKey(operatorFork(app.orm), await idOf('revoked'));
    const tags = [`key:${await idOf('rotated')}`, `key:${await idOf('revoked')}`];
    await receiver.until(() => tags.every(sent => receiver.tagsSince(seen).includes(sent)));
    expect(receiver.tagsSince(seen)).not.toContain(`key:${await idOf('secret')}`);
    expect((await graphql(menu, { key: rotated })).status).toBe(401);
  });

  test('whose purge fails is purged once the cache responds, before later ones are confirmed', async () => {
    receiver.status = 503;
    const seen = receiver.all.length;
    await change('setStoreOrdering', { storeId: baixa.id, state: 'OPEN' });
    await receiver.until(() => receiver.all.length > seen + 1);
    const lag = async () =>
      /carte_edge_purge_lag_seconds\{[^}]*\} ([\d.]+)/.exec((await app.get('/metrics')).text)?.[1];
    expect(Number(await lag())).toBeGreaterThan(0);
    const failed = receiver.all.length;
    receiver.status = 200;
    await receiver.until(() => receiver.tagsSince(failed).includes(`store:${tag}`));
    await receiver.until(async () => Number(await lag()) === 0);
  });

  test('that the log no longer has purges everything', async () => {
    const seen = receiver.all.length;
    await app.orm.em.fork().execute('update event_log set complete_after = greatest(complete_after, 2)');
    await receiver.until(async () => {
      // Again, since a purge of before may be recorded meanwhile.
      await app.orm.em.fork().execute('update edge_cache set position = 1, repeated = 1');
      return receiver.tagsSince(seen).includes('carte');
    });
  });
});
