import { expect, test } from 'vitest';
import { createDatabase } from '../support/database.ts';

test('the migrations create the schema that the entities describe', async () => {
  const orm = await createDatabase();
  // Also without dropping triggers and functions, which entities do not describe: `npm run migration` writes nothing.
  expect(await orm.schema.getUpdateSchemaSQL()).toBe('');
});
