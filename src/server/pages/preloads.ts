import { posix } from 'node:path';
import { packageImports } from './packages.ts';

/**
 * Renders hints for the modules that some modules import, directly or not, so that a browser loads all of them at once rather than one
 * level after the other. `read` returns a module of `web/` without its types.
 */
export function renderPreloads(entries: readonly string[], read: (path: string) => string): string {
  const found = new Set(entries);
  const packages = new Set<string>();
  for (const path of found) {
    for (const [, name = ''] of read(path).matchAll(/^(?:import|export)\b[^'"]*from '([^']+)'/gm)) {
      const url = packageImports[name];
      if (url) packages.add(url);
      else found.add(posix.join(posix.dirname(path), name));
    }
  }
  const urls = [...[...found].map(path => `web/${path}`), ...packages];
  return urls.map(url => `<link rel="modulepreload" href="${url}">`).join('\n    ');
}
