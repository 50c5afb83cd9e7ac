import { expect, test } from 'vitest';
import { eventKinds } from '../../src/events/kinds.ts';
import { createDatabase } from '../support/database.ts';

test('the migrations create the schema that the entities describe', async () => {
  const orm = await createDatabase();
  // Also without dropping triggers and functions, which entities do not describe: `npm run migration` writes nothing.
  expect(await orm.schema.getUpdateSchemaSQL()).toBe('');
});

test('a trigger writes every kind of event', async () => {
  const orm = await createDatabase();
  const functions = await orm.em.execute<{ prosrc: string }[]>(
    "select prosrc from pg_proc where oid in (select tgfoid from pg_trigger) and prosrc like '%insert into event_inbox%'",
  );
  const written = functions.map(({ prosrc }) => prosrc).join();
  const missing = eventKinds.filter(kind => !written.includes(`'${kind}'`));
  expect(missing, 'Write them into event_inbox by a trigger, in a new file of src/database/migrations').toEqual([]);
});
