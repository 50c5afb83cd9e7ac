import { expect, test } from 'vitest';
import { createDatabase } from '../support/database.ts';

test('the migrations create the schema that the entities describe', async () => {
  const orm = await createDatabase();
  const changes = (await orm.schema.getUpdateSchemaSQL())
    .split('\n')
    // Entities do not describe triggers.
    .filter(line => line !== '' && !/^(set names|drop trigger|drop function)/.test(line));
  expect(changes).toEqual([]);
});
