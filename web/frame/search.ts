import type { StoresToFindQuery } from '../../src/generated/web.ts';
import { element } from '../element.ts';
import { readKey } from '../key.ts';

/** What the search leads to. */
interface Entry {
  readonly kind: string;
  readonly title: string;
  /** Relative to `/`. */
  readonly url: string;
  readonly text: string;
}

/** A section of a guide, as in guides/search.json. */
interface Section {
  readonly url: string;
  readonly guide: string;
  readonly heading: string;
  readonly text: string;
}

/** The URL of `/`: this script is at web/frame/search.ts. */
const root = new URL('../../', import.meta.url);
const maxResults = 12;
const pages: readonly Entry[] = [
  ['Start page', '', 'overview of all pages'],
  ['Console', 'console', 'orders, stock, menus, keys and webhooks'],
  ['Menu viewer', 'menu', 'a menu as guests see it'],
  ['Playground', 'graphql', 'GraphiQL: queries, mutations and subscriptions'],
  ['REST reference', 'docs', 'the nine routes'],
  ['Guides', 'guides', 'how to do what'],
].map(([title = '', url = '', text = '']) => ({ kind: 'Page', title, url, text }));

let opened: ReturnType<typeof createSearch> | undefined;

/** Opens the search over pages, stores, routes, types and fields of the graph, and guides. */
export function openSearch(): void {
  opened ??= createSearch();
  opened.open();
}

function createSearch() {
  const input = element('input', {
    role: 'combobox',
    placeholder: 'Routes, types, fields, guides, stores',
    'aria-label': 'Search all of Carte',
    'aria-expanded': 'true',
    'aria-controls': 'search-results',
    'aria-autocomplete': 'list',
    autocomplete: 'off',
    spellcheck: 'false',
  });
  const count = element('p', { role: 'status' });
  const list = element('div', { id: 'search-results', role: 'listbox', 'aria-label': 'Results' });
  const close = element('button', { type: 'button' }, 'Close');
  const dialog = element(
    'dialog',
    { class: 'search', 'aria-label': 'Search', lang: 'en', dir: 'ltr' },
    element('div', { class: 'search-field' }, input, close),
    count,
    list,
  );
  document.body.append(dialog);

  let loaded: Promise<readonly Entry[]> | undefined;
  let selected = 0;

  const show = async () => {
    const words = wordsOf(input.value);
    try {
      loaded ??= loadEntries();
      const found = words.length === 0 ? pages : search(await loaded, words);
      // The text may have changed while the entries were loaded.
      if (wordsOf(input.value).join(' ') !== words.join(' ')) return;
      count.textContent = words.length === 0 ? 'Pages' : describeCount(found.length);
      list.replaceChildren(...found.slice(0, maxResults).map((entry, index) => createResult(entry, words, index)));
      select(0);
    } catch {
      loaded = undefined;
      count.textContent = 'The search cannot be loaded. Type again to retry.';
    }
  };

  function select(index: number): void {
    const results = [...list.children];
    selected = Math.max(0, Math.min(index, results.length - 1));
    for (const [position, result] of results.entries())
      result.setAttribute('aria-selected', String(position === selected));
    const active = results[selected];
    input.setAttribute('aria-activedescendant', active?.id ?? '');
    active?.scrollIntoView({ block: 'nearest' });
  }

  input.addEventListener('input', show);
  input.addEventListener('keydown', event => {
    if (event.key === 'ArrowDown') select(selected + 1);
    else if (event.key === 'ArrowUp') select(selected - 1);
    else if (event.key === 'Enter') list.querySelector<HTMLElement>('[aria-selected=true]')?.click();
    else return;
    event.preventDefault();
  });
  close.addEventListener('click', () => dialog.close());
  // Beside the dialog, or on a result: also for a section of this page, which loads nothing.
  dialog.addEventListener('click', ({ target }) => {
    if (target === dialog || (target instanceof Element && target.closest('a'))) dialog.close();
  });
  return {
    open(): void {
      if (!dialog.open) dialog.showModal();
      input.select();
      show();
    },
  };
}

/** The entries of all that the key may see; without a network for some of them, those of the others. */
async function loadEntries(): Promise<readonly Entry[]> {
  const [references, sections, stores] = await Promise.all([
    getJson<readonly Entry[]>('docs/search.json'),
    getJson<readonly Section[]>('guides/search.json'),
    loadStores().catch(() => []),
  ]);
  const guides = sections.map(({ url, guide, heading, text }) => ({
    kind: 'Guide',
    title: heading === '' ? guide : `${guide}: ${heading}`,
    url: `guides/${url}`,
    text,
  }));
  return [...pages, ...stores, ...references, ...guides];
}

interface StoresResponse {
  readonly data?: StoresToFindQuery;
}

/** The stores of the key of the tab. */
async function loadStores(): Promise<readonly Entry[]> {
  if (readKey() === '') return [];
  const { StoresToFind: query } = await getJson<{ readonly StoresToFind: string }>('web/frame/search.graphql');
  const { data } = await getJson<StoresResponse>('graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json', 'x-api-key': readKey() },
    body: JSON.stringify({ query }),
  });
  return (data?.stores.nodes ?? []).map(({ id, name }) => ({
    kind: 'Store',
    title: name.text ?? id,
    url: `console?store=${encodeURIComponent(id)}`,
    text: id,
  }));
}

async function getJson<Body>(path: string, init: RequestInit = {}): Promise<Body> {
  const response = await fetch(new URL(path, root), init);
  if (!response.ok) throw new Error(`${path} is ${response.status}`);
  return response.json();
}

const wordsOf = (query: string) => query.toLowerCase().split(/\s+/).filter(Boolean);

const describeCount = (count: number) => {
  if (count === 0) return 'Nothing found';
  if (count > maxResults) return `${count} found, the best ${maxResults} are:`;
  return count === 1 ? '1 found' : `${count} found`;
};

/** The entries that have all words; those with the words in their titles first, and of these the shortest. */
function search(entries: readonly Entry[], words: readonly string[]): readonly Entry[] {
  return entries
    .map(entry => ({ entry, score: scoreOf(entry, words) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score || one.entry.title.length - other.entry.title.length)
    .map(({ entry }) => entry);
}

function scoreOf({ kind, title, text }: Entry, words: readonly string[]): number {
  const [inTitle, inText] = [title.toLowerCase(), text.toLowerCase()];
  const scores = words.map(word => {
    if (inTitle.includes(word)) return inTitle === word || inTitle.endsWith(`.${word}`) ? 8 : 4;
    return inText.includes(word) ? 1 : 0;
  });
  if (scores.includes(0)) return 0;
  const sum = scores.reduce<number>((total, score) => total + score, 0);
  return kind === 'Page' || kind === 'Store' ? sum + 1 : sum;
}

function createResult({ kind, title, url, text }: Entry, words: readonly string[], index: number): HTMLElement {
  const link = element('a', {
    id: `search-result-${index}`,
    role: 'option',
    href: new URL(url, root).href,
    tabindex: '-1',
  });
  link.append(element('strong', {}, ...markWords(title, words)), element('small', {}, kind));
  link.append(element('span', {}, ...markWords(excerpt(text, words), words)));
  return link;
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
  if (words.length === 0) return [text];
  const pattern = new RegExp(`(${words.map(word => word.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|')})`, 'i');
  return text.split(pattern).map((part, index) => (index % 2 === 1 ? element('mark', {}, part) : part));
}
