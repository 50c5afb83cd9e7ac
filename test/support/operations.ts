import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, onTestFinished } from 'vitest';

/** The set of operations that is an example for operators. */
export const exampleSet = fileURLToPath(new URL('../../examples/operations', import.meta.url));

/** Writes a set of operations to a folder of this name, which is removed after the test, or after those of the file. */
export function writeSet(name: string, files: Readonly<Record<string, string>>): string {
  const parent = mkdtempSync(join(tmpdir(), 'carte-operations-'));
  const remove = () => rmSync(parent, { recursive: true, force: true });
  try {
    onTestFinished(remove);
  } catch {
    // Outside of a test.
    afterAll(remove);
  }
  const folder = join(parent, name);
  mkdirSync(folder);
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
  return folder;
}
