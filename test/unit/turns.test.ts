import { runAtOnce, runInSlices, type Steps } from '@carte/base/time-slice';
import { concatenate, DeduplicatedBuffer, toBuffers } from '@carte/operations/execution/json-writer';
import { compileRenderer } from '@carte/operations/execution/renderer';
import { Rendering } from '@carte/operations/execution/resolve';
import { fragmentsOf, selectedFields } from '@carte/operations/execution/selected-fields';
import { buildSchema, type ExecutionResult, execute, getOperationAST, isObjectType, parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { limitListObjects } from '../../src/graphql/response-limit.ts';
import { loadSchema } from '../../src/graphql/schema.ts';
import { defaultMenuLimits } from '../../src/limits.ts';
import { type Configuration, type ConfigurationRows, linkConfiguration } from '../../src/menu/configuration.ts';
import { diagnose } from '../../src/menu/diagnostics/diagnose.ts';
import { compareConfigurations } from '../../src/menu/history/changes.ts';
import { menuKinds } from '../../src/menu/kinds.ts';
import { validateConfiguration, validatePartialConfiguration } from '../../src/menu/validate.ts';
import { operatorScope } from '../../src/scope.ts';
import { largestMenu, menuOfSize } from '../support/large-menu.ts';
import { countTurns } from '../support/turns.ts';

const input = menuOfSize(largestMenu);
const changed = {
  ...input,
  items: input.items.map((item, at) =>
    at % 2
      ? { ...item, price: 1, modifierGroupExternalIds: item.modifierGroupExternalIds?.toReversed() ?? null }
      : item,
  ),
};

function link(given: typeof input): Steps<Configuration> {
  const lists = menuKinds.map(({ name, defaults }) => {
    const rows = (given[name] ?? []).map((entity: object, at) => ({ ...defaults, ...entity, numericId: at }));
    return [name, rows];
  });
  return linkConfiguration('store', 1, Object.fromEntries(lists) as ConfigurationRows);
}

const before = runAtOnce(link(input));
const after = runAtOnce(link(changed));

/** Compares as JSON: a matcher would take seconds. */
const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/** The names and children of all entities: a configuration itself refers to itself. */
const outlineOf = ({ categories, items, modifierGroups, modifierItems }: Configuration) => [
  [...categories.values()].map(category => [category.externalId, ...category.items.map(item => item.name)]),
  [...items.values()].map(item => [item.name, ...item.modifierGroups.map(group => group.externalId)]),
  [...modifierGroups.values()].map(group => [group.name, ...group.modifierItems.map(({ name }) => name)]),
  [...modifierItems.keys()],
];

describe('With the largest menu, in many turns of the event loop and with the same result as in one,', () => {
  test.each<[string, () => Steps<unknown>]>([
    ['menus are compared', () => compareConfigurations(before, after)],
    ['equal menus are compared', () => compareConfigurations(before, runAtOnce(link(structuredClone(input))))],
    ['a menu is validated', () => validateConfiguration(input, defaultMenuLimits)],
    ['a menu of which parts could not be read is validated', () => validatePartialConfiguration(changed)],
    ['a menu is diagnosed', () => diagnose(changed)],
  ])('%s', async (_what, steps) => {
    const expected = runAtOnce(steps());
    const started = steps();
    const { result, turns } = await countTurns(() => runInSlices(started));
    expect(turns).toBeGreaterThan(3);
    expect(isSame(result, expected)).toBe(true);
  });

  test('a menu is linked', async () => {
    const { result, turns } = await countTurns(() => runInSlices(link(input)));
    expect(turns).toBeGreaterThan(3);
    expect(isSame(outlineOf(result), outlineOf(before))).toBe(true);
  });
});

const tree = `menus { id name { translations } categories { id items { id price { amount } modifierGroups {
  externalId groupMin modifierItems { id priceChange { amount } inStock } } } } }`;
const flat = 'items { id externalId price { decimal } name { translations } } modifierItems { id }';

/** A part of the largest menu, with as many lists of each size. */
const part = runAtOnce(link(menuOfSize({ ...largestMenu, items: 2_000, groups: 1_000, modifierItems: 1_000 })));

const contextOf = (configuration: Configuration) => ({
  scope: operatorScope,
  loaders: {
    stores: { byId: { load: async () => ({ id: 'store' }) } },
    menus: { byStore: { load: async () => configuration }, currencyOf: () => 'EUR' },
  },
});

describe.each([
  ['a tree', tree, part],
  ['flat lists', flat, before],
])('In many turns of the event loop, %s', (_what, selection, configuration) => {
  const document = parse(`{ store(id: "store") { ${selection} } }`);
  const executeWith = async (limit: { readonly maxObjects?: number }): Promise<ExecutionResult> =>
    execute({ schema: loadSchema(), document, contextValue: { ...contextOf(configuration), ...limit } });
  let inOneTurn: Promise<ExecutionResult> | undefined;
  const executeInOneTurn = () => (inOneTurn ??= executeWith({}));

  test('is executed with the same result', async () => {
    const { result, turns } = await countTurns(() => executeWith({ maxObjects: 1e6 }));
    expect(turns).toBeGreaterThan(3);
    expect(isSame(result, await executeInOneTurn())).toBe(true);
  });

  test('is rendered, concatenated and deduplicated with the bytes of its execution', async () => {
    const fragments = fragmentsOf(document);
    const [selected] = selectedFields(getOperationAST(document)?.selectionSet.selections ?? [], fragments);
    const type = loadSchema().getType('Store');
    if (!selected || !isObjectType(type)) throw new Error('The query selects no store');
    const render = compileRenderer(type, selected, fragments);
    const rendering = new Rendering({ variables: {}, context: contextOf(configuration) });
    const { result: chunk, turns } = await countTurns(() => render({ id: 'store' }, rendering));
    expect(turns).toBeGreaterThan(3);
    const { data } = await executeInOneTurn();
    const expected = Buffer.from(JSON.stringify(data?.store));
    const concatenated = await runInSlices(concatenate(toBuffers(chunk)));
    expect(concatenated.equals(expected)).toBe(true);
    const deduplicated = await runInSlices(DeduplicatedBuffer.from(chunk));
    expect((await runInSlices(deduplicated.toBuffer())).equals(expected)).toBe(true);
  });
});

test('In many turns of the event loop, the fields of one object are rendered, whose values take some time each', async () => {
  const schema = buildSchema('type Query { node: Node } type Node { slow: Int }');
  const type = schema.getType('Node');
  if (!isObjectType(type)) throw new Error('Node is no object');
  const { slow } = type.getFields();
  const resolve = () => {
    const ends = performance.now() + 0.1;
    while (performance.now() < ends);
    return 1;
  };
  Object.assign(slow ?? {}, { resolve });
  const aliases = Array.from({ length: 300 }, (_, at) => `a${at}`);
  const document = parse(`{ node { ${aliases.map(alias => `${alias}: slow`).join(' ')} } }`);
  const fragments = fragmentsOf(document);
  const [selected] = selectedFields(getOperationAST(document)?.selectionSet.selections ?? [], fragments);
  if (!selected) throw new Error('The query selects nothing');
  const render = compileRenderer(type, selected, fragments);
  const { result, turns } = await countTurns(() => render({}, new Rendering({ variables: {}, context: {} })));
  expect(turns).toBeGreaterThan(3);
  expect(`${result}`).toBe(JSON.stringify(Object.fromEntries(aliases.map(alias => [alias, 1]))));
});

test('An error in a later part of a long list is reported as in a short one', async () => {
  const schema = buildSchema('type Query { nodes: [Node], strict: [Node!] } type Node { id: Int! }');
  const nodes = Array.from({ length: 1000 }, (_, id) => ({ id: id === 777 ? null : id }));
  limitListObjects(schema);
  const run = (contextValue: object, text: string) =>
    execute({ schema, document: parse(text), rootValue: { nodes, strict: nodes }, contextValue });
  for (const text of ['{ nodes { id } }', '{ strict { id } }']) {
    expect(await run({ maxObjects: 1e6 }, text)).toEqual(await run({}, text));
  }
});

test('The validation of a menu may stop between the references of one list, and the days of one menu', () => {
  const countSteps = (count: number) => {
    const numbers = Array.from({ length: 96 }, (_, at) => at);
    const listed = numbers.slice(0, count);
    const item = (at: number) => ({
      externalId: `${at}`,
      name: { translations: {} },
      price: 1,
      tax: 0,
      sellSeparately: true,
    });
    const availability = listed.map(at => ({ dayOfWeek: `day ${at}`, timePeriods: [] }));
    const steps = validateConfiguration(
      {
        items: numbers.map(item),
        categories: [{ externalId: 'c', name: { translations: {} }, itemExternalIds: listed.map(String) }],
        menus: [{ externalId: 'm', availability }],
      },
      defaultMenuLimits,
    );
    let stepCount = 0;
    while (!steps.next().done) stepCount += 1;
    return stepCount;
  };
  // Both days and references are looked at by 32; those of days are counted, too.
  expect(countSteps(96) - countSteps(1)).toBeGreaterThan(8);
});
