import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { blocksOf } from '../support/commands.ts';

/**
 * An example: its folder, and the commands of its README, with the key in the place of `KEY`. Node runs the scripts of its
 * package.json, which takes a tenth of npm's time.
 */
export function readExample(name: string, key: string) {
  const folder = fileURLToPath(new URL(`../../examples/${name}`, import.meta.url));
  const commands = blocksOf(`examples/${name}/README.md`)
    .map(({ text }) => text)
    .join('\n')
    .replaceAll(/\bKEY\b/g, key)
    .replaceAll(/\bnpm (?:run --silent (\w+)|(start) --silent)/g, `'${process.execPath}' --run $1$2`);
  return { folder, commands };
}

/** The examples that examples/README.md lists. */
export function listedExamples(): string[] {
  const list = readFileSync(new URL('../../examples/README.md', import.meta.url), 'utf8');
  return [...list.matchAll(/^\| \[`([\w-]+)`\]\(\1\/README\.md\)/gm)].map(([, name = '']) => name);
}
