import { expect, test } from 'vitest';
import { eventKinds, storeEventKinds } from '../../src/events/kinds.ts';
import { isFinal, orderStatuses } from '../../src/order/statuses.ts';
import { createDatabase } from '../support/database.ts';

test('the migrations create the schema that the entities describe', async () => {
  const orm = await createDatabase();
  // Also without dropping triggers and functions, which entities do not describe: `npm run migration` writes nothing.
  expect(await orm.schema.getUpdateSchemaSQL()).toBe('');
});

/** MikroORM compares indexes with an expression by their names alone. */
test('the indexes that the migrations create are those that the entities describe', async () => {
  const { em } = await createDatabase();
  const described = [...em.getMetadata().getAll().values()]
    .flatMap(({ indexes, uniques }) => [...indexes, ...uniques])
    .flatMap(({ name, expression }) => (typeof expression === 'string' ? [{ name: String(name), expression }] : []));
  expect(described.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['orders_by_completion', 'event_of_store_kinds']),
  );
  for (const { name, expression } of described) {
    const readDefinition = `select pg_get_indexdef('${name}'::regclass)`;
    const migrated = await em.execute(readDefinition);
    await em.begin();
    await em.execute(`drop index ${name}`);
    await em.execute(expression);
    expect(migrated, 'Create the index anew in a new file of src/database/migrations').toEqual(
      await em.execute(readDefinition),
    );
    await em.rollback();
  }
});

test.each([
  { name: 'orders_by_completion', values: orderStatuses.filter(isFinal) },
  { name: 'event_of_store_kinds', values: storeEventKinds },
])('the index $name has all of its rows', async ({ name, values }) => {
  const { em } = await createDatabase();
  const [index] = await em.execute<{ definition: string }[]>(
    `select pg_get_indexdef('${name}'::regclass) as definition`,
  );
  expect(index?.definition.match(/(?<=')[A-Z_]+(?=')/g)?.sort()).toEqual(values.toSorted());
});

test('a trigger writes every kind of event', async () => {
  const orm = await createDatabase();
  const functions = await orm.em.execute<{ prosrc: string }[]>(
    "select prosrc from pg_proc where oid in (select tgfoid from pg_trigger) and prosrc like '%insert into event_inbox%'",
  );
  const written = functions.map(({ prosrc }) => prosrc).join();
  const missing = eventKinds.filter(kind => !written.includes(`'${kind}'`));
  expect(missing, 'Write them into event_inbox by a trigger, in schema/sql/events.sql').toEqual([]);
});
