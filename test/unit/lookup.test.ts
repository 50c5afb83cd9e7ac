import { expect, test } from 'vitest';
import { createAccess } from '../../src/database/access.ts';
import { createLookUp } from '../../src/database/lookup.ts';
import type { LookUp } from '../../src/lookup.ts';
import { nothing, operatorReach, type Reach } from '../../src/reach.ts';
import type { Query } from '../../src/statement.ts';
import { readStamp } from '../../src/store/stamp.ts';
import { createData } from '../support/data.ts';
import { createDatabase, prepare } from '../support/database.ts';
import { StatementCounter } from '../support/statements.ts';

const statements = new StatementCounter();
const orm = await createDatabase({ onPool: pool => statements.watch(pool) });
const data = createData(orm);
const { query } = await createAccess(orm, { prepare });
const lookUp = createLookUp(query);
const stampOf = (find: LookUp, reach: Reach, storeId: string) =>
  readStamp(find, { reach, storeId, names: ['menuRevision', 'ordersRevision'] });

const storesOf = (count: number) => Promise.all(Array.from({ length: count }, () => data.store()));
const only = (reach: Partial<Reach>): Reach => ({ ...nothing, ...reach });

test.each([1, 3, 16, 17, 100])('%i lookups at once are one statement', async count => {
  const stores = await storesOf(count);
  const { result, statements: sent } = await statements.during(() =>
    Promise.all(stores.map(({ id }) => stampOf(lookUp, operatorReach, id))),
  );
  expect(result.map(stamp => stamp?.menuRevision)).toEqual(stores.map(() => 0));
  expect(sent).toHaveLength(1);
});

test('each caller sees what is within its own reach, whoever shares the statement', async () => {
  const [one, two] = await Promise.all([data.store(), data.store()]);
  const callers = [
    only({ storeIds: [one.id] }),
    only({ merchantIds: [String(two.merchant)] }),
    only({ merchantIdsOfStores: [String(one.merchant)] }),
    nothing,
    operatorReach,
  ];
  const seen = await Promise.all(
    callers.map(reach =>
      Promise.all([one, two].map(async ({ id }) => (await stampOf(lookUp, reach, id)) !== undefined)),
    ),
  );
  expect(seen).toEqual([
    [true, false],
    [false, true],
    [false, false],
    [false, false],
    [true, true],
  ]);
});

test('a lookup sees what was written before it began, also while others are under way', async () => {
  const { id } = await data.store();
  for (let revision = 1; revision <= 20; revision++) {
    const before = stampOf(lookUp, operatorReach, id);
    await query({ text: 'update store set menu_revision = $1 where id = $2' }, [revision, id]);
    expect((await stampOf(lookUp, operatorReach, id))?.menuRevision).toBe(revision);
    await before;
  }
});

test('a statement that is stuck holds up no other', async () => {
  const [stuck, other] = await Promise.all([data.store(), data.store()]);
  const { promise: never } = Promise.withResolvers<never[]>();
  let calls = 0;
  const faulty: Query = (statement, values) => (calls++ === 0 ? never : query(statement, values));
  const faultyLookUp = createLookUp(faulty);
  const waiting = stampOf(faultyLookUp, operatorReach, stuck.id);
  await expect.poll(() => calls).toBe(1);
  expect(await stampOf(faultyLookUp, operatorReach, other.id)).toMatchObject({ menuRevision: 0 });
  expect(await Promise.race([waiting, 'still waiting'])).toBe('still waiting');
});

test('a statement that fails fails for all who share it, and for nobody after them', async () => {
  const { id } = await data.store();
  let calls = 0;
  const faulty: Query = (statement, values) =>
    calls++ === 0 ? Promise.reject(new Error('connection lost')) : query(statement, values);
  const faultyLookUp = createLookUp(faulty);
  const outcomes = await Promise.allSettled([1, 2].map(() => stampOf(faultyLookUp, operatorReach, id)));
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await stampOf(faultyLookUp, operatorReach, id)).not.toBeUndefined();
});

test('nothing has an identifier that PostgreSQL cannot hold', async () => {
  expect(await stampOf(lookUp, operatorReach, 'a\0b')).toBeUndefined();
});
