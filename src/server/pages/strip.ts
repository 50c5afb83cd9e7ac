import { stripTypeScriptTypes } from 'node:module';

/** TypeScript as a browser can run it: the types are blanked out, so lines and columns stay where they are. */
export function stripTypes(source: string): string {
  const { emitWarning } = process;
  // Node warns that this function may yet change, which an operator can do nothing about; a test would see the change.
  process.emitWarning = () => {};
  try {
    return stripTypeScriptTypes(source);
  } finally {
    process.emitWarning = emitWarning;
  }
}
