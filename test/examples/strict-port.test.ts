import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Whose key knows the origin of the page, of which the port is a part. */
test.each(['shop', 'browser-menu'])('%s does not move to another port than the one its key is for', async name => {
  const taken = createServer().listen(0, 'localhost');
  await once(taken, 'listening');
  onTestFinished(() => void taken.close());
  const address = taken.address();
  const port = typeof address === 'object' ? String(address?.port) : '';
  const cwd = `${root}examples/${name}`;
  const [command = '', ...options] = JSON.parse(readFileSync(`${cwd}/package.json`, 'utf8')).scripts.start.split(' ');
  const started = promisify(execFile)(`${root}node_modules/.bin/${command}`, [...options, '--port', port], {
    cwd,
    timeout: 20_000,
  });
  await expect(started).rejects.toMatchObject({ stderr: expect.stringContaining(`Port ${port} is already in use`) });
});
