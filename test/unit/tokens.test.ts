import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const folder = new URL('../../web/', import.meta.url);
const styles = globSync('**/*.css', { cwd: folder }).map(path => ({
  path,
  text: readFileSync(new URL(path, folder), 'utf8').replaceAll(/\/\*.*?\*\//gs, ''),
}));

/** What the styles set a property to, other than by a token, with the file. */
const othersOf = (pattern: RegExp) =>
  styles
    .filter(({ path }) => path !== 'tokens.css')
    .flatMap(({ path, text }) => [...text.matchAll(pattern)].map(([found]) => `${path}: ${found}`));

test('the pages have four sizes of text, and the font is that of the tokens', () => {
  const { text = '' } = styles.find(({ path }) => path === 'tokens.css') ?? {};
  expect([...text.matchAll(/--text[\w-]*(?=:)/g)].map(String)).toEqual([
    '--text-small',
    '--text',
    '--text-large',
    '--text-huge',
  ]);
  const size = String.raw`(?!var\(--(text|font-size)|inherit)`;
  expect(othersOf(new RegExp(`font-size: ${size}[^;]*;`, 'g'))).toEqual([]);
  expect(othersOf(/font-family: (?!var\(--(sans|mono|font-family)|inherit|"Fira Code")[^;]*;/g)).toEqual([]);
});

test('colours are those of the tokens', () => {
  // Apart from what is painted over a page, and what the editor of the playground has of its own.
  const colors = othersOf(/(?:#[\da-f]{3,8}\b|(?<!light-)\brgba?\([^)]*\))/g);
  expect(
    colors.filter(color => !/^(playground|console\/orders)\//.test(color) && !color.includes('rgb(0 0 0')),
  ).toEqual([]);
});
