import { generateRoutes } from '@carte/operations/sofa';
import { expect, test, vi } from 'vitest';
import { loadContract } from '../../src/rest/contract.ts';
import { buildGraph } from '../support/graph.ts';
import { routes as documented } from '../support/interface.ts';

const contract = loadContract(buildGraph());
const routes = generateRoutes(contract);

function routeOf(name: string) {
  const route = routes.find(({ operation }) => operation.name === name);
  if (!route) throw new Error(`No route for ${name}`);
  return route;
}

test('SOFA generates the nine documented routes; its webhook route is not mounted', () => {
  const generated = routes.map(({ method, path }) => `${method} ${path}`);
  const expected = documented.map(({ method, path }) => `${method} ${path.replace(/\{(\w+)\}/g, ':$1')}`);
  expect(generated.sort()).toEqual(expected.sort());
});

test('execute gets variables and request unchanged, and the handler returns its result', async () => {
  const variables = {
    store_service_id: 'a',
    start_time: new Date(0),
    status: ['PENDING'],
    page_index: 0,
    page_size: 50,
  };
  const result = { body: Buffer.from('{}') };
  const execute = vi.fn(async () => result);
  const request = { caller: {}, headers: {} };
  expect(await routeOf('listOrders').handle(execute, variables, request)).toBe(result);
  expect(execute).toHaveBeenCalledExactlyOnceWith(variables, request);
});

test('an error of execute is rethrown unchanged', async () => {
  const error = new Error('no');
  const execute = () => Promise.reject(error);
  await expect(routeOf('getStore').handle(execute, { store_service_id: 'a' }, {})).rejects.toBe(error);
});
