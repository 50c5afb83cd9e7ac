import { describe, expect, test } from 'vitest';
import { startService } from '../http/service.ts';
import { startApp } from '../support/app.ts';
import { routes as nine } from '../support/interface.ts';
import { exampleSet } from '../support/operations.ts';

const app = await startApp({ operations: [exampleSet] });
const routes = [...nine, { method: 'GET', path: '/website/stores/{store_service_id}/opening-hours' }];
const store = await app.data.store();
const [order] = await app.data.orders(store, 1);
const ids: Readonly<Record<string, string | null | undefined>> = {
  store_service_id: store.id,
  merchant_service_id: store.merchant,
  order_service_id: order?.id,
};
const withoutSofa = new URL('../support/without-sofa.ts', import.meta.url);

async function statuses(url: string): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const { method, path } of routes) {
    const address = url + path.replace(/\{(\w+)\}/g, (_, name) => String(ids[name]));
    const body = method === 'POST' ? '{"items":[]}' : null;
    const headers = { 'x-api-key': app.key, ...(body && { 'content-type': 'application/json' }) };
    found[`${method} ${path}`] = (await fetch(address, { method, body, headers })).status;
  }
  return found;
}

const all = (status: number) => Object.fromEntries(routes.map(({ method, path }) => [`${method} ${path}`, status]));

describe('SOFA generates the nine routes, and those of an operator', () => {
  test('with SOFA each of them exists', async () => {
    expect(await statuses(app.url)).toEqual(all(200));
  });

  test('without SOFA none exists', async () => {
    const { url } = await startService(app.orm, {
      NODE_OPTIONS: `--import ${withoutSofa}`,
      CARTE_OPERATIONS: exampleSet,
    });
    expect(await statuses(url)).toEqual(all(404));
  });
});
