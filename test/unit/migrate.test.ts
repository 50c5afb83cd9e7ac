import { expect, onTestFinished, test } from 'vitest';
import { isMigrated, migrate } from '../../src/database/migrate.ts';
import { migrations } from '../../src/database/migrations/list.ts';
import { createEmptyDatabase } from '../support/database.ts';

test('of many processes that start together, one migrates and the others wait for it', async () => {
  const connect = await createEmptyDatabase();
  const processes = Array.from({ length: 8 }, () => connect({ poolSize: 2 }));
  onTestFinished(async () => void (await Promise.all(processes.map(orm => orm.close()))));
  const applied = await Promise.all(processes.map(migrate));
  expect(applied.filter(names => names.length > 0)).toEqual([migrations.map(({ name }) => name)]);
  expect(await Promise.all(processes.map(isMigrated))).toEqual(Array(8).fill(true));
});
