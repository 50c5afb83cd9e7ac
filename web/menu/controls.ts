import { element, find } from '../element.ts';
import type { Store } from './client.ts';
import { directionOf, languageName, storeName } from './languages.ts';
import { formatLocalTime } from './local-time.ts';
import { type Texts, textsFor } from './texts.ts';
import type { ViewState } from './url.ts';

export function findControls() {
  return {
    page: find('#content', HTMLElement),
    form: find('#choice', HTMLFormElement),
    view: find('#view', HTMLElement),
    store: find('#store', HTMLSelectElement),
    language: find('#language', HTMLSelectElement),
    at: find('#at', HTMLInputElement),
  };
}

type Controls = ReturnType<typeof findControls>;

/** Reads the store and the time that are selected. The language is read when the reader selects one, since a store may lack the wanted one. */
export function readControls({ form, store, at }: Controls): Pick<ViewState, 'store' | 'at'> {
  const when = String(new FormData(form).get('when'));
  return { store: store.value || undefined, at: when === 'at' ? at.value || 'now' : when };
}

/** Writes what is beside the menus in the language of the texts. */
export function labelPage({ page, at }: Controls, texts: Texts): void {
  page.lang = texts.language;
  page.dir = directionOf(texts.language);
  for (const [name, text] of Object.entries(texts)) {
    const part = page.querySelector(`[data-text="${name}"]`);
    if (part && typeof text === 'string') part.textContent = text;
  }
  at.setAttribute('aria-label', texts.dateAndTime);
}

interface StoreList {
  readonly stores: readonly Store[];
  readonly selected: string | undefined;
  readonly languages: readonly string[];
}

/** Lists the stores by merchant; none is selected if the given one is not among them. */
export function listStores({ store }: Controls, { stores, selected, languages }: StoreList): void {
  const texts = textsFor(languages);
  const byMerchant = Map.groupBy(stores, ({ merchant }) => merchant?.brandName ?? texts.noMerchant);
  const groups = [...byMerchant].map(([brand, ofBrand]) =>
    element('optgroup', { label: brand }, ...ofBrand.map(({ id, name }) => option(id, labelOf(id, name, languages)))),
  );
  const hint = stores.length < 1000 ? texts.chooseStore : `${texts.chooseStore} (1 … 1000)`;
  store.replaceChildren(option('', hint), ...groups);
  store.value = stores.some(({ id }) => id === selected) ? (selected ?? '') : '';
}

export function listLanguages({ language }: Controls, languages: readonly string[], selected: string): void {
  if (language.parentElement) language.parentElement.hidden = languages.length === 0;
  language.replaceChildren(...languages.map(key => option(key, languageName(key))));
  language.value = selected;
}

/** Sets the date input to the local time of the store, and checks the radio button of the current mode. */
export function setTime({ form, at }: Controls, mode: string, local: { time: Date; timezone: string | null }): void {
  at.value = formatLocalTime(local.time, local.timezone);
  const when = mode === 'now' || mode === 'any' ? mode : 'at';
  for (const radio of form.querySelectorAll<HTMLInputElement>('[name=when]')) radio.checked = radio.value === when;
}

/** Checks the radio button of the date input, once it was edited. */
export function checkTime({ form }: Controls): void {
  const radio = form.querySelector<HTMLInputElement>('[name=when][value=at]');
  if (radio) radio.checked = true;
}

function labelOf(id: string, name: Store['name'], languages: readonly string[]): string {
  const text = storeName(name, languages);
  return text ? `${text} (${id})` : id;
}

function option(value: string, label: string): HTMLOptionElement {
  return element('option', { value }, label);
}
