import { escapeHtml } from './html.ts';

/** Patterns of comments and strings; words, separated by spaces. */
type Language = Readonly<Partial<Record<'comment' | 'string' | 'keywords', string>>>;

const slashes = '//.*';
/** Only at the start of a word: a URL may have one. */
const hash = '(?<!\\S)#.*';
const quoted = `"(?:\\\\.|[^"\\\\])*"|'(?:\\\\.|[^'\\\\])*'`;
const script: Language = {
  comment: slashes,
  string: `${quoted}|\`[^\`]*\``,
  keywords:
    'as async await break case catch class const continue default else export extends for from function if import in interface let new null of override private public readonly return string switch this throw true try type typeof undefined using var void while',
};

const languages: Readonly<Record<string, Language>> = {
  graphql: {
    comment: hash,
    string: quoted,
    keywords: 'directive enum extend false fragment input mutation null on query schema subscription true type',
  },
  json: { string: quoted, keywords: 'false null true' },
  sh: { comment: hash, string: quoted, keywords: 'do done else export fi for if in then while' },
  sql: {
    comment: '--.*',
    string: quoted,
    keywords: 'alter and create from group in index insert into on or order select set table update values where',
  },
  python: {
    comment: hash,
    string: quoted,
    keywords: 'as def else False for from if import in None not return True while with',
  },
  ...Object.fromEntries(['csharp', 'java', 'js', 'php', 'ts', 'tsx'].map(name => [name, script])),
};

const patterns = new Map(
  Object.entries(languages).map(([name, { comment, string, keywords = '' }]) => {
    const parts = [
      comment && `(?<comment>${comment})`,
      // The name of a member of an object.
      '(?<name>"[^"\\n]*"(?=\\s*:)|\\$\\w+)',
      string && `(?<string>${string})`,
      `(?<keyword>\\b(?:${keywords.replaceAll(' ', '|')})\\b)`,
      // No part of an address or a name.
      '(?<number>(?<![\\w./:-])\\d[\\d_.]*(?![\\w/:-]))',
    ];
    return [name, new RegExp(parts.filter(Boolean).join('|'), 'g')];
  }),
);

/** Renders code with an element for each token that has a colour. Guides need no more than this of a parser. */
export function highlight(code: string, language: string): string {
  const pattern = patterns.get(language);
  if (!pattern) return escapeHtml(code);
  let html = '';
  let end = 0;
  for (const { 0: text, index, groups = {} } of code.matchAll(pattern)) {
    const [kind] = Object.keys(groups).filter(name => groups[name] !== undefined);
    html += `${escapeHtml(code.slice(end, index))}<span class="${kind}">${escapeHtml(text)}</span>`;
    end = index + text.length;
  }
  return html + escapeHtml(code.slice(end));
}
