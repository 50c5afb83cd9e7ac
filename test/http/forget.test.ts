import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const drill = fileURLToPath(new URL('../../drills/forget.ts', import.meta.url));

test('a guest is erased and old orders are anonymized beside the load, with processes killed, and nothing is left of them', {
  timeout: 300_000,
}, async () => {
  const options = '--observed --orders 600 --stores 4 --perSecond 5 --calmSeconds 0.5 --slowestMs 60000'.split(' ');
  const printed = await new Promise<string>(resolve =>
    execFile(process.execPath, [drill, ...options], (_error, stdout, stderr) => resolve(stdout + stderr)),
  );
  expect(printed).toContain('no violation');
});
