/**
 * Checks that nothing breaks what the last release promised; part of `npm run check`. `released/` has its promises, and in `allowed-breaks.json` the
 * breaks that are meant, with the reason of each. A release writes it anew, with `--release`.
 *   npx node tools/check-compatibility.ts [folder | --release]
 */
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findBreaks } from './compatibility/breaks.ts';
import { describePromises, type Promises } from './compatibility/promises.ts';

const [argument] = process.argv.slice(2);
const isRelease = argument === '--release';
const folder = isRelease || !argument ? fileURLToPath(new URL('../released/', import.meta.url)) : argument;
const allowedFile = relative('', join(folder, 'allowed-breaks.json'));
const current = describePromises();

if (isRelease) {
  for (const [file, text] of Object.entries({ ...current, 'allowed-breaks.json': '{}\n' })) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  console.log('Wrote released/.');
} else {
  const files = globSync('**/*.{graphql,txt}', { cwd: folder });
  const released: Promises = Object.fromEntries(files.map(file => [file, readFileSync(join(folder, file), 'utf8')]));
  const allowed: Readonly<Record<string, string>> = JSON.parse(readFileSync(allowedFile, 'utf8'));
  const breaks = findBreaks(released, current);
  const refused = breaks.filter(text => !allowed[text]);
  const unfounded = Object.keys(allowed).filter(text => !breaks.includes(text));
  for (const text of refused) console.error(text);
  if (refused.length > 0) {
    console.error(`Each breaks what was released. Undo it, or list it in ${allowedFile} with the reason: {"…": "why"}`);
  }
  for (const text of unfounded) console.error(`${allowedFile} allows what is no break; remove it: ${text}`);
  if (refused.length + unfounded.length > 0) process.exitCode = 1;
  else console.log(`Nothing breaks what was released${breaks.length > 0 ? `, but what ${allowedFile} allows` : ''}.`);
}
