import { describe, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';

const bodyLimit = 4 * 1024 * 1024;
const app = await startApp({ bodyLimit });
const name = { translations: {} };
const item = (id: string, price = 100) => ({ external_id: id, name, price, tax: 0, sell_separately: true });
const pathOf = (store: { readonly id: string }) => `/v1/stores/${store.id}/menu_configuration/`;

describe('Simultaneous writes', () => {
  test('are serialized, and the last one acknowledged wins', async () => {
    const path = pathOf(await app.data.store());
    const prices = Array.from({ length: 8 }, (_, index) => index);
    const responses = await Promise.all(prices.map(price => app.post(path, { items: [item('a', price)] })));
    const revisions = responses.map(({ headers }) => Number(/^"(\d+)-/.exec(headers.get('etag') ?? '')?.[1]));
    expect(new Set(revisions).size).toBe(8);
    const flat = await app.get(`${path}flat`);
    expect(flat.body.items[0].price).toBe(prices[revisions.indexOf(Math.max(...revisions))]);
  });

  test('with the same If-Match one succeeds, and the others are 412', async () => {
    const path = pathOf(await app.data.store());
    const etag = (await app.get(path)).headers.get('etag') ?? '';
    const writers = [1, 2, 3, 4].map(price => app.post(path, { items: [item('a', price)] }, { 'if-match': etag }));
    const statuses = (await Promise.all(writers)).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([200, 412, 412, 412]);
  });
});

describe('If-Match', async () => {
  const store = await app.data.store();
  const path = pathOf(store);
  const etagOf = async (address: string) => (await app.get(address)).headers.get('etag') ?? '';
  const posted = await app.post(path, { items: [item('a')] });
  const etags = {
    tree: await etagOf(path),
    flat: await etagOf(`${path}flat`),
    POST: posted.headers.get('etag') ?? '',
    orders: await etagOf(`/v1/stores/${store.id}/orders/`),
    store: await etagOf(`/v1/stores/${store.id}`),
  };
  const post = (ifMatch: string) => app.post(path, { items: [item('a')] }, { 'if-match': ifMatch });
  const statusOf = async (ifMatch: string) => (await post(ifMatch)).status;

  test.each(['tree', 'flat', 'POST'] as const)('accepts the ETag of the %s, but not as a weak one', async name => {
    expect(await statusOf(etags[name])).toBe(200);
    expect(await statusOf(`"other", ${etags[name]}`)).toBe(200);
    expect(await statusOf(`W/${etags[name]}`)).toBe(412);
  });

  test.each(['orders', 'store'] as const)('is 412 for the ETag of the %s', async name => {
    const { status, body } = await post(etags[name]);
    expect([status, body]).toEqual([412, { detail: 'If-Match names no ETag that this resource has had.' }]);
  });

  test.each(['9007199254740992', '9999999999999999'])('is 412 for the revision %s, which none has', async revision => {
    const path = pathOf(await app.data.store());
    const first = await app.post(path, { items: [item('a', 1)] });
    const etag = first.headers.get('etag') ?? '';
    const beyond = etag.replace(/\d+/, revision);
    const { status } = await app.post(path, { items: [item('a', 2)] }, { 'if-match': beyond });
    expect(status).toBe(412);
    expect((await app.get(`${path}flat`)).body.items[0].price).toBe(1);
    // Beside one that is current, it is no other condition.
    const both = await app.post(path, { items: [item('a', 3)] }, { 'if-match': `${beyond}, ${etag}` });
    expect(both.status).toBe(200);
  });

  test('is 412 for an ETag of an earlier configuration, and nothing changes', async () => {
    const path = pathOf(await app.data.store());
    const first = await app.post(path, { items: [item('a', 1)] });
    await app.post(path, { items: [item('a', 2)] });
    const late = await app.post(path, { items: [item('a', 3)] }, { 'if-match': first.headers.get('etag') ?? '' });
    expect([late.status, typeof late.body.detail]).toEqual([412, 'string']);
    expect((await app.get(`${path}flat`)).body.items[0].price).toBe(2);
  });

  test('* sets no condition, and reads ignore If-Match', async () => {
    expect(await statusOf('*')).toBe(200);
    expect((await app.get(path, { 'if-match': '"other"' })).status).toBe(200);
  });
});

describe('Posting the same body again', () => {
  test('changes neither ids nor tree nor ETag', async () => {
    const path = pathOf(await app.data.store());
    const body = { items: [item('a')], menus: [{ external_id: 'm', availability: [] }] };
    const [first, again] = [await app.post(path, body), await app.post(path, body)];
    expect(again.text).toBe(first.text);
    expect(again.headers.get('etag')).toBe(first.headers.get('etag'));
  });

  test('the flat form can be posted unchanged', async () => {
    const path = pathOf(await app.data.store());
    const first = await app.post(path, { items: [item('a')], menus: [{ external_id: 'm', availability: [] }] });
    const again = await app.post(path, (await app.get(`${path}flat`)).text);
    expect([again.status, again.text]).toEqual([200, first.text]);
    expect(again.headers.get('etag')).toBe(first.headers.get('etag'));
  });
});

describe('Omitted lists', () => {
  test('are empty, in the tree and in the flat form', async () => {
    const path = pathOf(await app.data.store());
    const menus = [{ external_id: 'm', availability: [], category_external_ids: ['c'] }];
    const categories = [{ external_id: 'c', name }];
    const { body } = await app.post(path, { items: [], menus, categories });
    expect(body.menu_configuration[0].categories[0].items).toEqual([]);
    expect((await app.get(`${path}flat`)).body).toMatchObject({ items: [], modifier_groups: [], modifier_items: [] });
  });

  const days = [{ day_of_week: 'MON' }];
  test.each([
    [{}, ['items']],
    [{ items: [], menus: [{ external_id: 'm' }] }, ['menus', 0, 'availability']],
    [{ items: [], menus: [{ external_id: 'm', availability: days }] }, ['menus', 0, 'availability', 0, 'time_periods']],
  ])('that are required are 422: %j', async (configuration, loc) => {
    const { status, body } = await app.post(pathOf(await app.data.store()), configuration);
    expect(status).toBe(422);
    expect(body.detail).toEqual([{ loc: ['body', ...loc], msg: 'Field required', type: 'missing' }]);
  });
});

describe('Lists of external ids in the flat form', () => {
  test('are always present', async () => {
    const path = pathOf(await app.data.store());
    const group = { external_id: 'g', type: '', name, group_max: 1, group_min: 0, charge_after: 0 };
    const menus = [{ external_id: 'm', availability: [] }];
    await app.post(path, {
      items: [item('a')],
      menus,
      categories: [{ external_id: 'c', name }],
      modifier_groups: [group],
    });
    expect((await app.get(`${path}flat`)).body).toMatchObject({
      menus: [{ category_external_ids: [] }],
      categories: [{ item_external_ids: [] }],
      items: [{ modifier_external_ids: [] }],
      modifier_groups: [{ modifier_item_external_ids: [] }],
    });
  });
});

describe('prep_type', () => {
  test('cannot be posted, survives replacements once the operator has set it, and is in the tree only', async () => {
    const store = await app.data.store();
    const post = async (price: number) => {
      const body = {
        items: [{ ...item('a', price), prep_type: 'posted' }],
        categories: [{ external_id: 'c', name, item_external_ids: ['a'] }],
        menus: [{ external_id: 'm', availability: [], category_external_ids: ['c'] }],
      };
      return (await app.post(pathOf(store), body)).body.menu_configuration[0].categories[0].items[0];
    };
    expect(await post(1)).not.toHaveProperty('prep_type');
    await app.orm.em.fork().execute("update menu_item set prep_type = 'GRILL' where store_id = ?", [store.id]);
    expect(await post(2)).toMatchObject({ price: 2, prep_type: 'GRILL' });
    expect((await app.get(`${pathOf(store)}flat`)).body.items[0]).not.toHaveProperty('prep_type');
  });
});

describe('Size', () => {
  const tooLong = (count: string) => [
    { loc: ['body'], msg: `The configuration has ${count} are allowed`, type: 'too_long' },
  ];
  const items = Array.from({ length: 1000 }, (_, index) => item(`i${index}`));
  const itemIds = items.map(({ external_id }) => external_id);
  const categories = (count: number, links: number) =>
    Array.from({ length: count }, (_, index) => ({
      external_id: `c${index}`,
      name,
      item_external_ids: itemIds.slice(0, links),
    }));

  test('20,000 entities, 200,000 links and 500,000 nodes in the tree are the most', async () => {
    const path = pathOf(await app.data.store());
    const many = Array.from({ length: 20_001 }, (_, index) => item(`i${index}`));
    const listed = categories(200, 900);
    const category_external_ids = listed.map(({ external_id }) => external_id);
    const menus = ['a', 'b', 'c'].map(external_id => ({ external_id, availability: [], category_external_ids }));
    const responses = [
      await app.post(path, { items: many }),
      await app.post(path, { items, categories: categories(201, 1000) }),
      await app.post(path, { items, categories: listed, menus }),
    ];
    expect(responses.map(({ status }) => status)).toEqual([422, 422, 422]);
    expect(responses.map(({ body }) => body.detail)).toEqual([
      tooLong('20001 entities; at most 20000'),
      tooLong('201000 links; at most 200000'),
      tooLong('540603 nodes in its tree; at most 500000'),
    ]);
    expect((await app.post(path, { items: many.slice(1) })).status).toBe(200);
  });

  test('a body over the limit is 413', async () => {
    const path = pathOf(await app.data.store());
    const room = bodyLimit - '{"items": [], "x": ""}'.length;
    expect((await app.post(path, `{"items": [], "x": "${'x'.repeat(room)}"}`)).status).toBe(200);
    expect((await app.post(path, `{"items": [], "x": "${'x'.repeat(room + 1)}"}`)).status).toBe(413);
  });
});

test('a revision that the database has lost is never given to another configuration', async () => {
  const store = await app.data.store();
  const path = pathOf(store);
  const first = await app.post(path, { items: [item('a', 1)] });
  const revision = async () => {
    const [row] = await app.orm.em.fork().execute('select menu_revision from store where id = ?', [store.id]);
    return Number(row?.menu_revision);
  };
  const before = await revision();
  const lost = await app.post(path, { items: [item('a', 2)] });
  // As after a failover to a standby, or from a back-up, that lacks the second write.
  await app.orm.em.fork().execute('update menu_item set price = 1 where store_id = ?', [store.id]);
  await app.orm.em.fork().execute('update store set menu_revision = ? where id = ?', [before, store.id]);
  const lostEtag = { 'if-none-match': lost.headers.get('etag') ?? '' };
  expect(await app.get(path, lostEtag)).toMatchObject({ status: 200 });
  expect(await app.get(path, { 'if-none-match': first.headers.get('etag') ?? '' })).toMatchObject({ status: 304 });
  await app.post(path, { items: [item('a', 3)] });
  expect(await app.get(path, lostEtag)).toMatchObject({ status: 200 });
  const stale = await app.post(path, { items: [] }, { 'if-match': lost.headers.get('etag') ?? '' });
  expect(stale.status).toBe(412);
});
