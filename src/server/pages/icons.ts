import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { pathToFileURL } from 'node:url';
import { iconNames } from '../../../web/icon-names.ts';
import { Html } from './html.ts';

/** One file with all of them, each a symbol by its name, for the console. */
export function iconSprite(): string {
  const symbols = iconNames.map(name => `<symbol id="${name}" ${attributes}>${shapeOf(name)}</symbol>`);
  return `<svg xmlns="http://www.w3.org/2000/svg">\n${symbols.join('\n')}\n</svg>\n`;
}

/** An icon in the text of a page, beside a text that says what it means. */
export const iconOf = (name: string): Html =>
  new Html(`<svg class="icon" aria-hidden="true" ${attributes}>${shapeOf(name)}</svg>`);

const attributes = 'viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.75"';

function shapeOf(name: string): string {
  const manifest = findPackageJSON('heroicons', import.meta.url);
  if (!manifest) throw new Error('The package heroicons is not installed');
  const svg = readFileSync(new URL(`24/outline/${name}.svg`, pathToFileURL(manifest)), 'utf8');
  return svg.replace(/^<svg[^>]*>|<\/svg>\s*$|\n\s*/g, '');
}
