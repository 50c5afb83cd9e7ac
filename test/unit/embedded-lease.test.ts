import { expect, test } from 'vitest';
import { enter } from '../../src/database/embedded/enter.ts';
import { openFolder } from '../../src/database/embedded/folder.ts';
import { join, resign } from '../../src/database/embedded/lease.ts';
import { leave } from '../../src/database/embedded/leave.ts';
import { newFolder, serverPid } from '../support/embedded.ts';

test('nobody can join once the last one has resigned, until that program has stopped the server or died', async () => {
  const folder = await openFolder(newFolder());
  const first = await enter(folder, { fsync: 'off' });
  const second = await join(first.socketFolder);
  if (!second) throw new Error('the second program was not let in');
  expect(await resign(second)).toBe(false);
  await second.client.end();

  expect(await resign(first)).toBe(true);
  expect(await join(first.socketFolder)).toBeUndefined();

  await first.client.end();
  const third = await enter(folder, {});
  expect(third.pid).toBe(first.pid);
  await leave(folder, third);
  expect(serverPid(folder.root)).toBeUndefined();
});
