import type { ErrorPath } from '@carte/base/validation';
import { locOf } from '@carte/operations/errors';
import { expect, test } from 'vitest';
import { loadContract } from '../../src/rest/contract.ts';
import { buildGraph } from '../support/graph.ts';

const { operations } = loadContract(buildGraph());

test.each<[operation: string, keys: string[], path: ErrorPath, loc: ErrorPath]>([
  ['createMenuConfiguration', ['replaceMenuConfiguration'], ['input'], ['body']],
  ['createMenuConfiguration', ['replaceMenuConfiguration'], ['input', 'modifierGroups'], ['body', 'modifier_groups']],
  [
    'createMenuConfiguration',
    ['replaceMenuConfiguration'],
    ['input', 'items', 3, 'modifierGroupExternalIds', 2],
    ['body', 'items', 3, 'modifier_external_ids', 2],
  ],
  [
    'createMenuConfiguration',
    ['replaceMenuConfiguration'],
    ['input', 'items', 0, 'name', 'translations', 'enGB'],
    ['body', 'items', 0, 'name', 'translations', 'enGB'],
  ],
  ['createMenuConfiguration', ['replaceMenuConfiguration'], ['input', 'storeId'], ['path', 'store_service_id']],
  ['createMenuConfiguration', ['replaceMenuConfiguration'], ['input', 'expectedMenuRevision'], ['header', 'if-match']],
  ['createMenuConfiguration', ['replaceMenuConfiguration'], ['colour'], ['body']],
  ['listOrders', ['store', 'orders'], ['filter'], ['query']],
  ['listOrders', ['store', 'orders'], ['filter', 'createdFrom'], ['query', 'start_time']],
  ['listOrders', ['store', 'orders'], ['filter', 'statuses', 1], ['query', 'status', 1]],
  ['listOrders', ['store', 'orders'], ['pageSize'], ['query', 'page_size']],
  ['listOrders', ['store', 'orders'], ['after'], ['query']],
  ['listStores', ['stores'], ['skip'], ['query', 'skip']],
])('%s: the loc of an error of %j at %j is %j', (name, keys, path, loc) => {
  const operation = operations.find(candidate => candidate.name === name);
  if (!operation) throw new Error(`There is no ${name}`);
  expect(locOf(operation, keys, path)).toEqual(loc);
});
