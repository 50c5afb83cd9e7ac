import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { issueKey } from '../../src/auth/keys.ts';
import { start, waitForOutput } from '../cli/support.ts';
import { createData, operatorFork } from '../support/data.ts';
import { createDatabase } from '../support/database.ts';
import { routes } from '../support/interface.ts';
import { urlOf } from '../support/url.ts';

const orm = await createDatabase();
const data = createData(orm);
const store = await data.store();
const [order] = await data.orders(store, 1);
const { key } = await issueKey(operatorFork(orm), {
  name: 'test',
  all: true,
  merchantIds: [],
  storeIds: [],
  canWrite: true,
});
const ids: Readonly<Record<string, string | null | undefined>> = {
  store_service_id: store.id,
  merchant_service_id: store.merchant,
  order_service_id: order?.id,
};
const env = { DATABASE_URL: urlOf(orm), PORT: '0' };
const withoutSofa = fileURLToPath(new URL('../support/without-sofa.ts', import.meta.url));

async function statuses(more: Readonly<Record<string, string>>): Promise<Record<string, number>> {
  const output = await waitForOutput(start(['serve'], { ...env, ...more }), 'Carte is ready at ');
  const url = /Carte is ready at (\S+)/.exec(output)?.[1];
  const found: Record<string, number> = {};
  for (const { method, path } of routes) {
    const address = url + path.replace(/\{(\w+)\}/g, (_, name) => String(ids[name]));
    const body = method === 'POST' ? '{"items":[]}' : null;
    const headers = { 'x-api-key': key, ...(body && { 'content-type': 'application/json' }) };
    found[`${method} ${path}`] = (await fetch(address, { method, body, headers })).status;
  }
  return found;
}

const all = (status: number) => Object.fromEntries(routes.map(({ method, path }) => [`${method} ${path}`, status]));

describe('SOFA generates the nine routes', () => {
  test('with SOFA each of them exists', async () => {
    expect(await statuses({})).toEqual(all(200));
  });

  test('without SOFA none exists', async () => {
    expect(await statuses({ NODE_OPTIONS: `--import ${withoutSofa}` })).toEqual(all(404));
  });
});
