import { expect, test } from 'vitest';
import { openDataDirectory } from '../../src/database/embedded/data-directory.ts';
import { joinServer, leaveServer } from '../../src/database/embedded/server.ts';
import { acquireSharedLock, becomeLast } from '../../src/database/embedded/session-lock.ts';
import { newFolder, serverPid } from '../support/embedded.ts';

test('no program can join between the last unlock and the end of the server or of the program that stops it', async () => {
  const directory = await openDataDirectory(newFolder());
  const first = await joinServer(directory, { fsync: 'off' });
  const second = await acquireSharedLock(first.socketDirectory);
  if (!second) throw new Error('the second program could not join');
  expect(await becomeLast(second)).toBe(false);
  await second.client.end();

  expect(await becomeLast(first)).toBe(true);
  expect(await acquireSharedLock(first.socketDirectory)).toBeUndefined();

  await first.client.end();
  const third = await joinServer(directory, {});
  expect(third.pid).toBe(first.pid);
  await leaveServer(directory, third);
  expect(serverPid(directory.root)).toBeUndefined();
});
