import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** Files of the bundle of GraphiQL by name. */
export type Bundle = ReadonlyMap<string, Buffer>;

const folder = fileURLToPath(new URL('../../../dist/playground', import.meta.url));
const buildScript = fileURLToPath(new URL('../../../tools/build-playground.ts', import.meta.url));

/** Reads the bundle that `npm ci` has built, or builds it. Undefined where that is not possible. */
export async function loadBundle(): Promise<Bundle | undefined> {
  return (await readBundle(folder)) ?? buildInMemory();
}

/** Builds the bundle in a process of its own, for Vite's memory, and in a temporary folder, as the checkout may be read-only. */
async function buildInMemory(): Promise<Bundle | undefined> {
  if (!existsSync(buildScript)) return undefined;
  const out = await mkdtemp(join(tmpdir(), 'carte-playground-'));
  try {
    await promisify(execFile)(process.execPath, [buildScript, '--out', out]);
    return await readBundle(out);
  } finally {
    await rm(out, { recursive: true, force: true });
  }
}

async function readBundle(path: string): Promise<Bundle | undefined> {
  try {
    const names = await readdir(path);
    if (names.length === 0) return undefined;
    return new Map(await Promise.all(names.map(async name => [name, await readFile(join(path, name))] as const)));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
