import { element, focusWithSlash } from '../element.ts';

/** A section of a guide, as in guides/search.json. */
interface Section {
  readonly url: string;
  readonly guide: string;
  readonly heading: string;
  readonly text: string;
}

const maxResults = 12;

/** Adds the search to the header. It loads the sections of all guides on first use, and searches them in the browser. */
export function createSearch(root: URL): void {
  const input = element('input', {
    type: 'search',
    'aria-label': 'Search the guides',
    placeholder: 'Search',
  });
  const count = element('p', { role: 'status', class: 'small' });
  const list = element('ul');
  const results = element('div', { class: 'results', hidden: '' }, count, list);
  document.querySelector('header')?.append(element('div', { class: 'search' }, input, results));

  let loaded: Promise<readonly Section[]> | undefined;
  const show = async () => {
    const words = wordsOf(input.value);
    results.hidden = words.length === 0;
    if (words.length === 0) return;
    try {
      loaded ??= load(new URL('guides/search.json', root));
      const found = search(await loaded, words);
      // The text may have changed while the sections were loaded.
      if (wordsOf(input.value).join(' ') !== words.join(' ')) return;
      count.textContent = describeCount(found.length);
      list.replaceChildren(...found.slice(0, maxResults).map(section => createResult(section, words, root)));
    } catch {
      loaded = undefined;
      count.textContent = 'The search cannot be loaded. Type again to retry.';
    }
  };
  input.addEventListener('input', show);
  input.addEventListener('focus', show);
  input.addEventListener('keydown', event => {
    if (event.key === 'Enter') list.querySelector('a')?.click();
    if (event.key === 'Escape') {
      input.value = '';
      results.hidden = true;
    }
  });
  // Also for a link to a section of this page, which loads nothing.
  addEventListener('click', event => {
    if (event.target !== input) results.hidden = true;
  });
  focusWithSlash(() => input);
}

async function load(url: URL): Promise<readonly Section[]> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} is ${response.status}`);
  return response.json();
}

const wordsOf = (query: string) => query.toLowerCase().split(/\s+/).filter(Boolean);

const describeCount = (count: number) => {
  if (count === 0) return 'Nothing found';
  if (count > maxResults) return `${count} sections found, the best ${maxResults} are:`;
  return count === 1 ? '1 section found' : `${count} sections found`;
};

/** The sections that have all words; those with the words in their headings first. */
function search(sections: readonly Section[], words: readonly string[]): readonly Section[] {
  return sections
    .map(section => ({ section, score: scoreOf(section, words) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .map(({ section }) => section);
}

function scoreOf({ guide, heading, text }: Section, words: readonly string[]): number {
  const [inHeading, inGuide, inText] = [heading, guide, text].map(part => part.toLowerCase());
  const scores = words.map(word => {
    if (inHeading?.includes(word)) return 4;
    if (inGuide?.includes(word)) return 2;
    return inText?.includes(word) ? 1 : 0;
  });
  return scores.includes(0) ? 0 : scores.reduce<number>((sum, score) => sum + score, 0);
}

function createResult({ url, guide, heading, text }: Section, words: readonly string[], root: URL): HTMLLIElement {
  const title = heading === '' ? guide : `${guide}: ${heading}`;
  const link = element('a', { href: new URL(`guides/${url}`, root).href }, element('strong', {}, title));
  link.append(element('span', {}, ...markWords(excerpt(text, words), words)));
  return element('li', {}, link);
}

/** The part of a text around the first of the words. */
function excerpt(text: string, words: readonly string[]): string {
  const positions = words.map(word => text.toLowerCase().indexOf(word)).filter(position => position >= 0);
  const start = Math.max(0, Math.min(...positions, text.length) - 40);
  const from = positions.length === 0 || start === 0 ? 0 : text.indexOf(' ', start) + 1;
  const to = text.length > from + 140 ? text.lastIndexOf(' ', from + 140) : text.length;
  return `${from > 0 ? '… ' : ''}${text.slice(from, to)}${to < text.length ? ' …' : ''}`;
}

function markWords(text: string, words: readonly string[]): (Node | string)[] {
  const pattern = new RegExp(`(${words.map(word => word.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|')})`, 'i');
  return text.split(pattern).map((part, index) => (index % 2 === 1 ? element('mark', {}, part) : part));
}
