import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { pathToFileURL } from 'node:url';
import { iconNames } from '../../../web/icon-names.ts';

/** One file with all of them, each a symbol by its name. */
export function iconSprite(): string {
  const manifest = findPackageJSON('heroicons', import.meta.url);
  if (!manifest) throw new Error('The package heroicons is not installed');
  const symbols = iconNames.map(name => {
    const svg = readFileSync(new URL(`24/outline/${name}.svg`, pathToFileURL(manifest)), 'utf8');
    const shape = svg.replace(/^<svg[^>]*>|<\/svg>\s*$|\n\s*/g, '');
    return `<symbol id="${name}" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.75">${shape}</symbol>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg">\n${symbols.join('\n')}\n</svg>\n`;
}
