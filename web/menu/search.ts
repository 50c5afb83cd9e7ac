import { find, focusWithSlash } from '../element.ts';
import type { Texts } from './texts.ts';

/** Creates the search of the menu: `/` leads to it, Enter to the first item found, Escape clears it. */
export function createSearch(menu: HTMLElement, onFilter: () => void) {
  const form = find('#search-form', HTMLFormElement);
  const input = find('#search', HTMLInputElement);
  const found = find('#found', HTMLElement);
  let texts: Texts | undefined;

  function filter(): void {
    const query = input.value.trim();
    const count = filterItems(menu, query);
    const result = count > 0 ? texts?.found(count) : texts?.notFound(query);
    found.textContent = query === '' ? '' : (result ?? '');
    onFilter();
  }

  input.addEventListener('input', filter);
  input.addEventListener('keydown', event => {
    if (event.key !== 'Escape') return;
    input.value = '';
    filter();
  });
  form.addEventListener('submit', event => {
    event.preventDefault();
    const first = menu.querySelector<HTMLElement>('.item:not([hidden])');
    if (!first) return;
    first.tabIndex = -1;
    first.focus();
  });
  focusWithSlash(() => input);

  return {
    /** Applies the query to a menu that was rendered; without texts there is none. */
    show(shown?: Texts): void {
      texts = shown;
      form.hidden = menu.querySelector('.item') === null;
      if (shown) form.lang = shown.language;
      filter();
    },
    reset(): void {
      input.value = '';
    },
  };
}

/** Hides the items that lack one of the words in name and description, and sections without items; returns the number of those left. */
function filterItems(menu: HTMLElement, query: string): number {
  const words = normalize(query).split(/\s+/).filter(Boolean);
  let count = 0;
  for (const section of menu.querySelectorAll<HTMLElement>('.menu')) {
    const before = count;
    for (const category of section.querySelectorAll<HTMLElement>('.category')) {
      const items = [...category.querySelectorAll<HTMLElement>('.item')];
      const found = items.filter(item => words.every(word => textOf(item).includes(word)));
      for (const item of items) item.hidden = true;
      for (const item of found) item.hidden = false;
      category.hidden = words.length > 0 && found.length === 0;
      count += found.length;
    }
    section.hidden = words.length > 0 && count === before;
  }
  return count;
}

const texts = new WeakMap<HTMLElement, string>();

function textOf(item: HTMLElement): string {
  const known = texts.get(item);
  if (known !== undefined) return known;
  const parts = item.querySelectorAll(':scope > h4, :scope > .description');
  const text = normalize([...parts].map(part => part.textContent).join(' '));
  texts.set(item, text);
  return text;
}

/** Makes `PÃO`, `pao` and full-width `ｐａｏ` equal, and Arabic with and without vowel marks. */
export function normalize(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f\u064b-\u0652]/g, '')
    .normalize('NFC')
    .toLowerCase();
}
