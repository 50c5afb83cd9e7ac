import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { crawl } from '../../support/edge-crawl.ts';
import { freePort } from '../../support/failover/postgres.ts';
import { createVarnish, hasVarnish } from '../../support/varnish.ts';
import { waitForOutput } from '../cli/support.ts';
import { startApp } from '../support/app.ts';
import { createKey } from '../support/data.ts';
import { createDatabase } from '../support/database.ts';
import { fullBody } from '../support/menu-body.ts';
import { exampleSet } from '../support/operations.ts';
import { startService } from './service.ts';

/** Forwards requests, and holds responses back while it is told to. */
async function startHoldingProxy(target: () => number) {
  let held: PromiseWithResolvers<void> | undefined;
  let arrived = Promise.withResolvers<void>();
  const received: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    const { url, method, headers } = request;
    received.push(headers);
    const forwarded = httpRequest({ port: target(), path: url, method, headers, host: '127.0.0.1' }, async answer => {
      arrived.resolve();
      await held?.promise;
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    request.pipe(forwarded);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    received,
    port: (server.address() as AddressInfo).port,
    hold(): { readonly arrived: Promise<void>; readonly release: () => void } {
      arrived = Promise.withResolvers();
      const holding = Promise.withResolvers<void>();
      held = holding;
      const release = () => {
        held = undefined;
        holding.resolve();
      };
      return { arrived: arrived.promise, release };
    },
    close: () => server.close().closeAllConnections(),
  };
}

if (!hasVarnish())
  test.skip('Varnish with deploy/edge/varnish.vcl (skipped: there is no varnishd with varnish-modules)', () => {});
else
  describe('Varnish with deploy/edge/varnish.vcl', async () => {
    const port = await freePort();
    const varnish = await createVarnish(port);
    const { edge } = readConfig({
      CARTE_EDGE_SECONDS: '600',
      CARTE_EDGE_PURGE: 'varnish',
      CARTE_EDGE_PURGE_URLS: varnish.url,
      CARTE_EDGE_PURGE_SECRET: varnish.secret,
      CARTE_EDGE_PURGE_AGAIN_SECONDS: '60',
    });
    const app = await startApp({ edge, operations: [exampleSet], publishableRateLimit: 0 });
    const proxy = await startHoldingProxy(() => Number(new URL(app.url).port));
    const store = await app.data.store({ id: 'baixa' });
    expect((await app.post('/v1/stores/baixa/menu_configuration/', fullBody())).status).toBe(200);
    const other = await app.data.store({ id: 'alfama' });
    const issue = (request: object) => app.newKey({ publishable: true, permissions: [], ...request });
    const key = await issue({ storeIds: [store.id] });
    const query =
      '{ store(id: "baixa") { menuRevision items: menus { categories { items { externalId inStock } } } } }';
    const path = `/graphql?${new URLSearchParams({ query, key })}`;

    beforeAll(() => varnish.start(proxy.port));
    afterAll(async () => {
      proxy.close();
      await varnish.close();
    });

    const read = async () => {
      const response = await fetch(`${varnish.url}${path}`);
      const { data } = (await response.json()) as { data: { store: { menuRevision: number } } };
      return { revision: data.store.menuRevision, isHit: response.headers.get('x-cache') === 'hit' };
    };

    let inStock = true;
    /** Resolves to the new revision, when the cache has confirmed its purge. */
    async function changeStock(): Promise<number> {
      inStock = !inStock;
      const input = { storeId: store.id, items: [{ externalId: 'espresso', inStock: !inStock }] };
      const text = 'mutation ($input: SetStockInput!) { setStock(input: $input) { store { menuRevision } } }';
      const revision = (await app.graphql(text, { input })).body.data.setStock.store.menuRevision;
      const confirmed = `select from edge_cache where position >= (select position from event where menu_revision = ${revision})`;
      while ((await app.orm.em.fork().execute(confirmed)).length === 0);
      return revision;
    }

    test('stores a menu until it changes', async () => {
      await changeStock();
      for (let times = 0; times < 3; times++) {
        const revision = await changeStock();
        expect(await read()).toEqual({ revision, isHit: false });
        for (let guests = 0; guests < 5; guests++) expect(await read()).toEqual({ revision, isHit: true });
      }
    });

    test('does not keep a response that was rendered before a change, and comes after its purge', async () => {
      const before = await changeStock();
      const { arrived, release } = proxy.hold();
      const early = read();
      await arrived;
      const revision = await changeStock();
      // A guest who comes after the purge waits for the same response, and must not get it.
      const late = read();
      release();
      expect((await early).revision).toBe(before);
      expect((await late).revision).toBe(revision);
      expect((await read()).revision).toBe(revision);
    });

    test('is purged by nobody without the secret, who may come through a proxy on the same machine', async () => {
      const revision = await changeStock();
      await read();
      for (const secret of ['', 'carte', `${varnish.secret}x`, varnish.secret.slice(1)]) {
        const headers = { 'x-purge-tag': 'carte', ...(secret && { 'x-purge-secret': secret }) };
        const refused = await fetch(varnish.url, { method: 'PURGE', headers });
        expect([refused.status, (await refused.text()).includes(varnish.secret)]).toEqual([403, false]);
      }
      expect(await read()).toEqual({ revision, isHit: true });
      await fetch(`${varnish.url}/health/live`, { headers: { 'x-purge-secret': varnish.secret } });
      expect(proxy.received.flatMap(Object.keys)).not.toContain('x-purge-secret');
      const headers = { 'x-purge-tag': 'carte', 'x-purge-secret': varnish.secret };
      expect((await fetch(varnish.url, { method: 'PURGE', headers })).status).toBe(200);
      expect(await read()).toEqual({ revision, isHit: false });
    });

    test('that refuses purges from the beginning is noticed in log, metrics and graph, and once it takes them', async () => {
      const refusing = await createVarnish(await freePort());
      onTestFinished(() => refusing.close());
      await refusing.start(proxy.port, '192.0.2.1');
      const orm = await createDatabase();
      const service = await startService(orm, {
        CARTE_EDGE_SECONDS: '86400',
        CARTE_EDGE_PURGE: 'varnish',
        CARTE_LOG_LEVEL: 'info',
        CARTE_EDGE_PURGE_URLS: `${refusing.url}/?token=private`,
        CARTE_EDGE_PURGE_SECRET: refusing.secret,
      });
      const operator = await createKey(orm, { permissions: ['ADMIN'] });
      const cache = refusing.url.slice('http://'.length);
      const read = async () => {
        const headers = { 'x-api-key': operator, 'content-type': 'application/json' };
        const query = '{ edgeCaches { name failingSince failure } }';
        const body = JSON.stringify({ query });
        const metrics = await (await fetch(`${service.url}/metrics`)).text();
        const lag = new RegExp(`^carte_edge_purge_lag_seconds\\{cache="${cache}"\\} ([\\d.]+)`, 'm').exec(metrics)?.[1];
        const { data } = await (await fetch(`${service.url}/graphql`, { method: 'POST', headers, body })).json();
        return { lag: Number(lag), caches: data.edgeCaches };
      };
      const warned = await waitForOutput(service, 'confirms no purges', 'stderr');
      expect(warned).toContain('for 86400 s');
      await expect.poll(async () => (await read()).lag).toBeGreaterThan(1);
      const failure = 'the response has status 403';
      const failing = { name: cache, failingSince: expect.any(String), failure };
      expect((await read()).caches).toEqual([failing]);

      await refusing.kill();
      await refusing.start(proxy.port);
      await expect.poll(async () => (await read()).lag).toBe(0);
      expect((await read()).caches).toEqual([{ name: cache, failingSince: null, failure: null }]);
      const printed = await waitForOutput(service, 'takes purges"', 'stderr');
      expect(printed).not.toContain('private');
      expect(printed).not.toContain(refusing.secret);
      // A restart says it as well, where nothing has changed.
      service.child.kill('SIGTERM');
      await service.ended;
      const again = await startService(orm, {
        CARTE_EDGE_PURGE: 'varnish',
        CARTE_LOG_LEVEL: 'info',
        CARTE_EDGE_PURGE_URLS: `${refusing.url}/?token=private`,
        CARTE_EDGE_PURGE_SECRET: refusing.secret,
      });
      await waitForOutput(again, 'A cache at the edge takes purges', 'stderr');
    });

    test('gives nobody the response of another key, and stores nothing of a secret key', async () => {
      const variables = JSON.stringify({ id: store.id });
      const inBody = { method: 'POST', headers: { 'content-type': 'application/json' } };
      const requests = [
        ...[
          '/v1/stores/baixa/menu_configuration/',
          '/website/stores/baixa/opening-hours',
          '/delivery/stores/baixa/menu',
          '/v1/stores/baixa',
          '/v1/merchants/',
          '/graphql',
          '/health',
          '/docs',
          '/metrics/none',
        ].map(path => ({ path })),
        ...[
          menuOf('$id'),
          menuOf('"alfama"'),
          'query ($id: ID!) { store(id: $id) { ordering { state } } }',
          '{ stores { totalCount } }',
          '{ viewer { id } }',
          '{ a',
        ].map(text => ({ path: `/graphql?${new URLSearchParams({ query: text, variables })}` })),
        { path: '/graphql', ...inBody, body: JSON.stringify({ query: menuOf('$id'), variables: { id: store.id } }) },
      ];
      const secret = { admin: app.key, 'of a store': await app.newKey({ storeIds: [store.id] }) };
      const publishable = {
        'of a store': key,
        'of another store': await issue({ storeIds: [other.id] }),
        'of a page': await issue({ origins: ['https://a.example'] }),
        'of two pages': await issue({ origins: ['https://a.example', 'https://b.example'] }),
      };
      const { violations, hits } = await crawl({ origin: app.url, cache: varnish.url, requests, secret, publishable });
      expect(violations).toEqual([]);
      expect(hits).toBeGreaterThan(10);
    });
  });

const menuOf = (id: string) =>
  `query${id === '$id' ? ' ($id: ID!)' : ''} { store(id: ${id}) { id menus { externalId } } }`;
