import { readFileSync, writeFileSync } from 'node:fs';
// @ts-expect-error: the package has no types.
import subsetFont from 'subset-font';

const latin = new URL(
  '../node_modules/@fontsource-variable/figtree/files/figtree-latin-wght-normal.woff2',
  import.meta.url,
);

/** What the pages themselves are written in; web/tokens.css names the same characters. */
const characters = `${String.fromCharCode(...Array.from({ length: 95 }, (_, index) => 32 + index))}\u00a0·×–—‘’“”•…€`;

/** The part of the font that every page loads: of 20 kB 12. Texts with other characters load the whole of it from the package. */
export const subset = () =>
  subsetFont(readFileSync(latin), characters, {
    targetFormat: 'woff2',
    variationAxes: { wght: { min: 400, max: 700, default: 400 } },
  });

if (import.meta.main) writeFileSync(new URL('../web/fonts/figtree-basic.woff2', import.meta.url), await subset());
