import { readFile, stat } from 'node:fs/promises';
import { ifAbsent } from './failure.ts';
import type { DataFolder } from './folder.ts';

/** How much the server has written so far, in bytes. */
export async function logLength(folder: DataFolder): Promise<number> {
  const found = await stat(folder.log).catch(ifAbsent(undefined));
  return found?.size ?? 0;
}

export async function readLog(folder: DataFolder, from: number): Promise<string> {
  return (await readFile(folder.log).catch(ifAbsent(Buffer.of()))).subarray(from).toString('utf8');
}

/** For the end of a message: where the log is, and its last lines. */
export async function quoteLog(folder: DataFolder): Promise<string> {
  const lines = (await readLog(folder, 0)).trimEnd().split('\n').slice(-8);
  return `its log ${folder.log} ends with\n${lines.map(line => `  ${line}`).join('\n')}`;
}
