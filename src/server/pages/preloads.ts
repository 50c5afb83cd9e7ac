import { posix } from 'node:path';

/**
 * Renders hints for the modules that some modules import, directly or not, so that a browser loads all of them at once rather than one
 * level after the other. `read` returns a module of `web/` without its types.
 */
export function renderPreloads(entries: readonly string[], read: (path: string) => string): string {
  const found = new Set(entries);
  for (const path of found) {
    for (const [, name = ''] of read(path).matchAll(/^(?:import|export)\b[^'"]*from '([^']+)'/gm)) {
      found.add(posix.join(posix.dirname(path), name));
    }
  }
  return [...found].map(path => `<link rel="modulepreload" href="web/${path}">`).join('\n    ');
}
