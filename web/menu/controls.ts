import { element, find } from '../element.ts';
import type { Choice } from './address.ts';
import { wallTime } from './clock.ts';
import { languageName, storeName } from './languages.ts';
import type { Store } from './operations.ts';

/** The fields of the page by which a reader chooses. */
export function findControls() {
  return {
    form: find('#choice', HTMLFormElement),
    view: find('#view', HTMLElement),
    store: find('#store', HTMLSelectElement),
    language: find('#language', HTMLSelectElement),
    at: find('#at', HTMLInputElement),
  };
}

type Controls = ReturnType<typeof findControls>;

/** What the fields say now. */
export function chosen({ form, store, language, at }: Controls): Choice {
  const when = String(new FormData(form).get('when'));
  return {
    store: store.value || undefined,
    language: language.value || undefined,
    at: when === 'at' ? at.value || 'now' : when,
  };
}

/** Offers the stores by merchant; none is marked when the one asked for is not among them. */
export function offerStores({ store }: Controls, stores: readonly Store[], selected: string | undefined): void {
  const byMerchant = Map.groupBy(stores, ({ merchant }) => merchant?.brandName ?? 'Without a merchant');
  const groups = [...byMerchant].map(([brand, ofBrand]) =>
    element('optgroup', { label: brand }, ...ofBrand.map(({ id, name }) => option(id, labelOf(id, name)))),
  );
  const hint = stores.length < 1000 ? 'Choose a store' : 'Choose a store: the first 1000 are listed';
  store.replaceChildren(option('', hint), ...groups);
  store.value = stores.some(({ id }) => id === selected) ? (selected ?? '') : '';
}

export function offerLanguages({ language }: Controls, languages: readonly string[], selected: string): void {
  language.replaceChildren(...languages.map(key => option(key, languageName(key))));
  language.value = selected;
}

/** Shows the moment as the store's clock does, and which of the three ways of choosing it is in force. */
export function showMoment({ form, at }: Controls, choice: Choice, clock: { moment: Date; timezone: string | null }) {
  at.value = wallTime(clock.moment, clock.timezone);
  const when = choice.at === 'now' || choice.at === 'any' ? choice.at : 'at';
  for (const radio of form.querySelectorAll<HTMLInputElement>('[name=when]')) radio.checked = radio.value === when;
}

/** Whoever changes the time means that time. */
export function chooseTime({ form }: Controls): void {
  const radio = form.querySelector<HTMLInputElement>('[name=when][value=at]');
  if (radio) radio.checked = true;
}

function labelOf(id: string, name: Store['name']): string {
  const text = storeName(name, navigator.languages);
  return text ? `${text} (${id})` : id;
}

function option(value: string, label: string): HTMLOptionElement {
  return element('option', { value }, label);
}
