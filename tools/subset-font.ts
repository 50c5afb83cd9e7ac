import { readFileSync, writeFileSync } from 'node:fs';
// @ts-expect-error: the package has no types.
import subsetFont from 'subset-font';

const latin = new URL(
  '../node_modules/@fontsource-variable/figtree/files/figtree-latin-wght-normal.woff2',
  import.meta.url,
);

const range = (first: number, last: number) =>
  String.fromCharCode(...Array.from({ length: last - first + 1 }, (_, index) => first + index));

/** By file: what the pages themselves are written in, and the letters that names and menus have beside. web/tokens.css names the same characters. */
const parts = {
  'figtree-basic.woff2': `${range(0x20, 0x7e)}\u00a0·×–—‘’“”•…€`,
  'figtree-accents.woff2': `¡£¥§ª«°º»¼½¾¿${range(0xc0, 0xd6)}${range(0xd8, 0xff)}ıŒœ`,
} as const;

/** A part of the font, so that a page loads no more than it shows: of 20 kB 12, or 7 more. */
const subset = (characters: string): Promise<Buffer> =>
  subsetFont(readFileSync(latin), characters, {
    targetFormat: 'woff2',
    variationAxes: { wght: { min: 400, max: 700, default: 400 } },
  });

for (const [file, characters] of Object.entries(parts))
  writeFileSync(new URL(`../web/fonts/${file}`, import.meta.url), await subset(characters));
