import { randomUUID } from 'node:crypto';
import { InvalidInput } from '@carte/base/errors';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ConfigurationInput } from '../../src/menu/kinds.ts';
import { operatorScope } from '../../src/scope.ts';
import { inMinorUnits } from '../support/amounts.ts';
import { createData, smallMenu } from '../support/data.ts';
import { createDatabase } from '../support/database.ts';
import { expectedAmounts, expectedProblems } from '../support/order-oracle.ts';
import { createOrderGraph } from '../support/orders.ts';
import { StatementCounter } from '../support/statements.ts';

const runs = Number(process.env.QUOTE_RUNS ?? 150);
const statements = new StatementCounter();
const orm = await createDatabase({ onPool: pool => statements.watch(pool) });
const data = createData(orm);
const graph = createOrderGraph(orm);

const adjustment = '{ name amount { amount } tax { amount } }';
const amounts = `price { amount } tax { amount } total { amount } tip { amount } charges ${adjustment} discounts ${adjustment} readyBy lines {
  itemExternalId name { translations } quantity price { amount } tax { amount } totalPrice { amount } totalTax { amount } note
  modifiers { modifierGroupExternalId modifierItemExternalId quantity freeQuantity priceChange { amount } taxChange { amount } }
}`;
const quote = async (input: object, scope = operatorScope) => {
  const query = `query ($input: QuoteOrderInput!) { quoteOrder(input: $input) { ${amounts} problems { path message code } } }`;
  return inMinorUnits((await graph.query(query, { input }, scope)).quoteOrder);
};

/** The order that is placed, or the reasons why it is refused, as a quote has them. */
async function place(input: object) {
  const placed = { ...input, idempotencyKey: randomUUID(), customer: { name: 'Ana', phone: '' } };
  const mutation = `mutation ($input: PlaceOrderInput!) { placeOrder(input: $input) { order { id ${amounts} } } }`;
  try {
    return { order: inMinorUnits((await graph.query(mutation, { input: placed })).placeOrder.order), problems: [] };
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    const problems = error.errors.map(({ path, message, type }) => ({
      path: path.map(String),
      message,
      code: type.toUpperCase(),
    }));
    return { order: undefined, problems };
  }
}

const idsOf = (kind: string, count: number) => Array.from({ length: count }, (_, index) => `${kind}${index}`);
const [itemIds, groupIds, modifierIds] = [idsOf('item', 5), idsOf('group', 4), idsOf('choice', 5)];
const name = { translations: { en: 'a name' } };
const amount = fc.oneof(
  { weight: 20, arbitrary: fc.integer({ min: 0, max: 400 }) },
  { weight: 1, arbitrary: fc.constantFrom(-50, -7, 1_000_000_007) },
);
/** Seldom false. */
const mostly = fc.nat(11).map(roll => roll > 0);
const some = (ids: readonly string[], minLength = 0) => fc.subarray([...ids], { minLength });
const time = fc.constantFrom('00:00', '06:30', '12:00', '18:15', '23:59');
const period = fc.record({ startTime: time, endTime: time });
const days = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'];
const availability = fc.record({
  dayOfWeek: fc.constantFrom(...days),
  timePeriods: fc.array(period, { minLength: 1, maxLength: 2 }),
});
const wholeWeek = days.map(dayOfWeek => ({ dayOfWeek, timePeriods: [{ startTime: '00:00', endTime: '00:00' }] }));
const listOf = <T>(ids: readonly string[], fields: (externalId: string) => fc.Arbitrary<T>) =>
  fc.tuple(...ids.map(fields)).map(list => list as T[]);

const menus: fc.Arbitrary<ConfigurationInput> = fc.record({
  menus: listOf(['week', 'always'], externalId =>
    fc.record({
      externalId: fc.constant(externalId),
      availability: externalId === 'always' ? fc.constant(wholeWeek) : fc.array(availability, { maxLength: 15 }),
      categoryExternalIds: fc.constant([`of-${externalId}`]),
    }),
  ),
  categories: listOf(['of-week', 'of-always'], externalId =>
    fc.record({ externalId: fc.constant(externalId), name: fc.constant(name), itemExternalIds: some(itemIds, 3) }),
  ),
  items: listOf(itemIds, externalId =>
    fc.record({
      externalId: fc.constant(externalId),
      name: fc.constant(name),
      price: amount,
      tax: amount,
      inStock: mostly,
      sellSeparately: mostly,
      preparationMinutes: fc.constantFrom(null, 5, 20, -3, 5000),
      modifierGroupExternalIds: some(groupIds.slice(0, 3)),
    }),
  ),
  modifierGroups: listOf(groupIds, externalId =>
    fc.record({
      externalId: fc.constant(externalId),
      name: fc.constant(name),
      type: fc.constant('CHOICE'),
      groupMin: fc.constantFrom(0, 0, 0, 0, 0, 1),
      groupMax: fc.constantFrom(2, 9, 9, 9),
      chargeAfter: fc.constantFrom(-1, 0, 0, 1, 2, 5),
      modifierItemExternalIds: some(modifierIds),
    }),
  ),
  modifierItems: listOf(modifierIds, externalId =>
    fc.record({
      externalId: fc.constant(externalId),
      name: fc.constant(name),
      priceChange: amount,
      taxChange: amount,
      inStock: mostly,
      minQuantity: fc.constantFrom(...Array(9).fill(0), 1),
      maxQuantity: fc.constantFrom(2, 9, 9, 9),
      defaultQuantity: fc.constant(0),
      itemExternalId: fc.constantFrom(null, null, ...itemIds),
    }),
  ),
});

/** Stores with random menus, the same in every run. */
const stores = await Promise.all(
  fc.sample(menus, { numRuns: 12, seed: 38 }).map(async menu => {
    const store = await data.store();
    await data.menu(store, menu);
    return { id: store.id, menu };
  }),
);

const quantity = fc.oneof(
  { weight: 40, arbitrary: fc.integer({ min: 1, max: 3 }) },
  { weight: 1, arbitrary: fc.constantFrom(-1, 0, 1000, 1001) },
);
/** Mostly what the item offers: wholly random choices would hardly ever be allowed. */
const lineOf = ({ items, modifierGroups }: ConfigurationInput) =>
  fc.constantFrom(...items, ...items, undefined).chain(item => {
    const offered = (item?.modifierGroupExternalIds ?? []).flatMap(modifierGroupExternalId => {
      const group = modifierGroups?.find(({ externalId }) => externalId === modifierGroupExternalId);
      return (group?.modifierItemExternalIds ?? []).map(id => ({
        modifierGroupExternalId,
        modifierItemExternalId: id,
      }));
    });
    const anything = fc.record({
      modifierGroupExternalId: fc.constantFrom(...groupIds),
      modifierItemExternalId: fc.constantFrom(...modifierIds),
    });
    const chosen = fc.oneof(
      { weight: 9, arbitrary: fc.subarray(offered, { maxLength: Math.min(3, offered.length) }) },
      { weight: 1, arbitrary: fc.array(anything, { maxLength: 3 }) },
    );
    return fc.record({
      itemExternalId: fc.constant(item?.externalId ?? 'nothing'),
      quantity,
      note: fc.constantFrom(null, 'no salt'),
      modifiers: chosen.chain(choices =>
        fc.tuple(...choices.map(choice => quantity.map(count => ({ ...choice, quantity: Math.min(count, 30) })))),
      ),
    });
  });
const adjustments = (amounts: fc.Arbitrary<number>) =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constant(null) },
    {
      weight: 1,
      arbitrary: fc.array(fc.record({ name: fc.constant('x'), amount: amounts, tax: fc.constantFrom(null, 0, 5) }), {
        maxLength: 2,
      }),
    },
  );
/** A quarter of an hour of a week to come. */
const readyBy = fc.nat(7 * 96).map(quarter => new Date(Date.UTC(2100, 0, 4) + quarter * 900_000));
const cases = fc.constantFrom(...stores).chain(({ id, menu }) =>
  fc.record({
    menu: fc.constant(menu),
    input: fc.record({
      storeId: fc.constant(id),
      lines: fc.array(lineOf(menu), { minLength: 1, maxLength: 2 }),
      readyBy,
      charges: adjustments(fc.constantFrom(0, 1, 99, 12_345, -1)),
      discounts: adjustments(fc.constantFrom(0, 1, 99, 12_345, -1)),
      tip: fc.constantFrom(null, null, 0, 150),
    }),
  }),
);

interface Problem {
  readonly path: readonly string[];
  readonly code: string;
}

/** Quantities of groups and modifier items have bounds of the menu, which leave nothing open. */
const isOpen = ({ path, code }: Problem) =>
  ['REFERENCE_NOT_FOUND', 'DUPLICATE_REFERENCE'].includes(code) ||
  ['quantity', 'amount', 'discounts'].includes(path.at(-1) ?? '');

test(`${runs} random quotes are what the order is, or why it is refused, by rules written twice`, async () => {
  const outcomes = { placed: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(cases, async ({ menu, input }) => {
      const { problems, ...quoted } = await quote(input);
      const placed = await place(input);
      expect(problems).toEqual(placed.problems);
      const found = problems.map(({ path, code }: Problem) => `${path.join('.')} ${code.toLowerCase()}`);
      expect(found.sort()).toEqual(expectedProblems(menu, input, input.readyBy));
      outcomes[placed.order ? 'placed' : 'refused'] += 1;
      if (placed.order) expect({ id: placed.order.id, ...quoted }).toEqual(placed.order);
      // A menu that does not have what is ordered, or a quantity that is not allowed, leaves open what it costs.
      if (quoted.price !== null) expect(quoted).toMatchObject(expectedAmounts(menu, input));
      else expect(problems.some(isOpen)).toBe(true);
    }),
    { numRuns: runs, seed: 2026 },
  );
  // Orders that are nearly all refused would prove little.
  expect(Math.min(outcomes.placed, outcomes.refused)).toBeGreaterThan(runs / 8);
});

describe('quoteOrder', async () => {
  const store = await data.store();
  const menu = smallMenu();
  const dear = { externalId: 'dear', name, price: Number.MAX_SAFE_INTEGER, tax: 0, sellSeparately: true };
  await data.menu(store, {
    ...menu,
    menus: [{ externalId: 'menu', availability: wholeWeek, categoryExternalIds: ['category'] }],
    categories: [{ externalId: 'category', name, itemExternalIds: ['item', 'dear'] }],
    items: [...menu.items, dear],
  });
  const line = {
    itemExternalId: 'item',
    modifiers: [{ modifierGroupExternalId: 'group', modifierItemExternalId: 'modifier' }],
  };
  const input = { storeId: store.id, lines: [line] };

  test('reads the store and its menu, writes nothing, and needs no permission', async () => {
    const reader = { ...operatorScope, permissions: [] };
    const { result, statements: sent } = await statements.during(() => quote(input, reader));
    expect(result).toMatchObject({ price: 1050, tax: 105, problems: [], lines: [{ totalPrice: 1050 }] });
    expect(sent).toHaveLength(2);
    expect(sent.filter(text => /\b(?:insert|update|delete)\b/i.test(text))).toEqual([]);
  });

  test('is null for a store out of scope, as for an unknown one', async () => {
    const scope = { ...operatorScope, all: false, storeIds: ['other'] };
    expect([await quote(input, scope), await quote({ ...input, storeId: 'none' })]).toEqual([null, null]);
  });

  test('has the time after the longest preparation, as the order has', async () => {
    const [before, { readyBy: quoted }, after] = [Date.now(), await quote(input), Date.now()];
    expect(Date.parse(quoted)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(quoted)).toBeLessThanOrEqual(after);
  });

  test.each([
    ['lines', { lines: [] }, 'TOO_SHORT'],
    ['lines', { lines: Array(201).fill(line) }, 'TOO_LONG'],
    ['customerComments', { customerComments: 'x'.repeat(1001) }, 'STRING_TOO_LONG'],
    ['customerComments', { customerComments: '\0' }, 'VALUE_ERROR'],
    ['readyBy', { readyBy: '2020-01-01T12:00:00Z' }, 'VALUE_ERROR'],
    ['lines', { lines: Array(200).fill({ itemExternalId: 'dear', quantity: 1000 }) }, 'VALUE_ERROR'],
  ])('refuses what placeOrder refuses: %s %#', async (path, given, code) => {
    const [quoted, placed] = [await quote({ ...input, ...given }), await place({ ...input, ...given })];
    expect(quoted.problems).toMatchObject([{ path: ['input', path], code }]);
    expect(quoted.problems.map(({ path, code }: Problem) => [path, code])).toEqual(
      placed.problems.map(({ path, code }) => [path, code]),
    );
    expect(quoted.price === null).toBe(path !== 'readyBy');
  });
});

test('an order has up to 300,000 characters of names, however often it has an item, and 2000 modifiers', async () => {
  const store = await data.store();
  const name = { translations: { en: 'x'.repeat(3_000) } };
  await data.menu(store, {
    menus: [{ externalId: 'menu', availability: wholeWeek, categoryExternalIds: ['category'] }],
    categories: [{ externalId: 'category', name, itemExternalIds: ['long'] }],
    items: [{ externalId: 'long', name, price: 1, tax: 0, sellSeparately: true }],
  });
  const inputOf = (count: number) => ({ storeId: store.id, lines: Array(count).fill({ itemExternalId: 'long' }) });
  const message = 'the names, external ids and notes of all lines have 300600 characters; at most 300000 are allowed';
  const problems = [{ path: ['input', 'lines'], message, code: 'STRING_TOO_LONG' }];
  expect(await quote(inputOf(100))).toMatchObject({ price: null, lines: null, problems });
  expect(await place(inputOf(100))).toEqual({ order: undefined, problems });
  expect(await quote(inputOf(99))).toMatchObject({ price: 99, problems: [] });
  expect((await place(inputOf(99))).order.lines).toHaveLength(99);
  const modifiers = Array(41).fill({ modifierGroupExternalId: 'g', modifierItemExternalId: 'm' });
  const refused = await quote({ storeId: store.id, lines: Array(50).fill({ itemExternalId: 'long', modifiers }) });
  expect(refused.problems).toEqual([
    { path: ['input', 'lines'], message: 'the lines have 2050 modifiers; at most 2000 are allowed', code: 'TOO_LONG' },
  ]);
});
