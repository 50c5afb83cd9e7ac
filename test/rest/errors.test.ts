import { describe, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { routes } from '../support/interface.ts';

const bodyLimit = 64 * 1024;
const app = await startApp({ bodyLimit });
const store = await app.data.store();
const menuPath = `/v1/stores/${store.id}/menu_configuration/`;
const ordersPath = `/v1/stores/${store.id}/orders/`;

const withIds = (path: string) => path.replace(/\{\w+\}/, 'nothing');

describe('Error bodies other than 422', () => {
  test('a path that does not exist is 404, with a key or without', async () => {
    const others = ['/webhook', '/v1', '/graphql/x', '/docs/x', '/pos/x'];
    for (const path of ['/v1/', '/v1/nothing', '/v1/stores/a/b', `${menuPath}flat/x`, '/v1/webhook', ...others]) {
      for (const method of ['GET', 'POST']) {
        const response = await app.send(method, path, { headers: { 'x-api-key': '' } });
        expect(response.status).toBe(404);
        expect(response.body).toEqual({ detail: 'Not Found' });
        expect(response.headers.get('content-type')).toBe('application/json');
      }
    }
  });

  test.each(routes)('a method that $path does not have is 405 with Allow', async ({ path }) => {
    const response = await app.send('DELETE', withIds(path));
    expect(response.status).toBe(405);
    expect(response.body).toEqual({ detail: 'Method Not Allowed' });
    const expected = path.endsWith('menu_configuration/') ? 'GET, HEAD, OPTIONS, POST' : 'GET, HEAD, OPTIONS';
    expect(response.headers.get('allow')).toBe(expected);
  });

  test('a body over the limit is 413', async () => {
    const response = await app.post(menuPath, `{"items": [], "x": "${'x'.repeat(bodyLimit)}"}`);
    expect(response.status).toBe(413);
    expect(response.body).toEqual({ detail: 'The body is larger than this service accepts.' });
  });
});

describe('422', () => {
  test('reports all errors in path, query and body at once', async () => {
    const response = await app.get(
      `/v1/stores/a%00b/orders/?page_size=501&page_index=-1&start_time=noon&status=READY,LATE`,
    );
    expect(response.status).toBe(422);
    expect(response.body).toEqual({
      detail: [
        {
          loc: ['path', 'store_service_id'],
          msg: 'Value error, the character U+0000 is not allowed',
          type: 'value_error',
        },
        {
          loc: ['query', 'start_time'],
          msg: 'Input should be a valid datetime, such as 2026-03-01T18:30:00Z',
          type: 'datetime_parsing',
        },
        {
          loc: ['query', 'status', 1],
          msg: "Input should be 'PENDING', 'CUSTOMER_CANCELLED', 'STORE_CANCELLED', 'ACCEPTED', 'REJECTED', 'READY' or 'FULFILLED'",
          type: 'enum',
        },
        {
          loc: ['query', 'page_index'],
          msg: 'Input should be greater than or equal to 0',
          type: 'greater_than_equal',
        },
        {
          loc: ['query', 'page_size'],
          msg: 'Input should be less than or equal to 500',
          type: 'less_than_equal',
        },
      ],
    });
  });

  test('reports at most 1,000 errors', async () => {
    const response = await app.post(menuPath, { items: Array.from({ length: 2000 }, () => 1) });
    expect(response.body.detail).toHaveLength(1000);
  });
});

describe('Missing or superfluous trailing slash', () => {
  test.each(routes)('$method $path is redirected by 307 with its query', async ({ method, path }) => {
    const documented = withIds(path);
    const other = documented.endsWith('/') ? documented.slice(0, -1) : `${documented}/`;
    const response = await app.send(method, `${other}?a=1&b=%20`, { headers: { 'x-api-key': '' } });
    expect(response.status).toBe(307);
    expect(response.headers.get('location')).toBe(`${documented}?a=1&b=%20`);
  });

  test('a client that follows the redirect sends its body again', async () => {
    const response = await app.send('POST', menuPath.slice(0, -1), {
      redirect: 'follow',
      body: '{"items": []}',
      headers: { 'content-type': 'application/json' },
    });
    expect(response.status).toBe(200);
  });
});

describe('HEAD, OPTIONS', () => {
  test.each([`/v1/stores/${store.id}`, menuPath, ordersPath, '/v1/merchants/'])(
    'HEAD %s has the headers of GET and no body',
    async path => {
      const [get, head] = [await app.get(path), await app.send('HEAD', path)];
      expect([head.status, head.text]).toEqual([200, '']);
      for (const header of ['content-type', 'content-length', 'etag', 'cache-control']) {
        expect(head.headers.get(header)).toBe(get.headers.get(header));
      }
    },
  );

  test.each(['/v1/stores', '/pos/v1/events/', '/docs/', '/v1/nothing', '/nothing', '/menu/x/y'])(
    'HEAD %s, which is nothing itself, has the headers of GET as well',
    async path => {
      const [get, head] = [await app.get(path), await app.send('HEAD', path)];
      expect(head.status).toBe(get.status);
      for (const header of ['location', 'content-type', 'content-length', 'cache-control']) {
        expect(head.headers.get(header), header).toBe(get.headers.get(header));
      }
    },
  );

  test('HEAD needs a key as GET does', async () => {
    expect((await app.send('HEAD', menuPath, { headers: { 'x-api-key': '' } })).status).toBe(401);
  });

  test('OPTIONS lists the allowed methods, without a key', async () => {
    const response = await app.send('OPTIONS', menuPath, { headers: { 'x-api-key': '' } });
    expect(response.status).toBe(204);
    expect(response.headers.get('allow')).toBe('GET, HEAD, OPTIONS, POST');
  });
});
