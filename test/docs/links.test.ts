import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'graphql';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const files = ['*.md', 'packages/*/*.md', 'docs/**/*.md', 'bench/*.md', 'examples/**/*.md', 'deploy/**/*.md'].flatMap(
  pattern => globSync(pattern, { cwd: root, exclude: path => path.includes('node_modules') }),
);

/** The anchors that GitHub generates for the headings of a document. */
function anchorsOf(file: string): string[] {
  const prose = readFileSync(join(root, file), 'utf8').replace(/^```[\s\S]*?^```$/gm, '');
  return [...prose.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

test.each(files)('links of %s lead to files and headings that exist', file => {
  const links = [...readFileSync(join(root, file), 'utf8').matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  const broken = links
    .filter(link => !/^https?:/.test(link))
    .filter(link => {
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? file : join(dirname(file), path);
      return !existsSync(join(root, target)) || (anchor !== undefined && !anchorsOf(target).includes(anchor));
    });
  expect(broken).toEqual([]);
});

test.each(files)('examples of GraphQL and JSON in %s are complete', file => {
  const blocks = readFileSync(join(root, file), 'utf8').matchAll(/^```(graphql|json)\b.*\n([\s\S]*?)^```$/gm);
  for (const [, language, text = ''] of blocks) {
    expect(() => (language === 'json' ? JSON.parse(text) : parse(text)), text).not.toThrow();
  }
});
