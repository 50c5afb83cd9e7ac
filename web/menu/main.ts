import { find } from '../element.ts';
import { readKey, rememberKey } from '../key.ts';
import { readChoice, writeChoice } from './address.ts';
import { renderCard } from './card.ts';
import { momentOf } from './clock.ts';
import { chooseTime, chosen, findControls, offerLanguages, offerStores, showMoment } from './controls.ts';
import { renderDiagnostics } from './diagnostics.ts';
import { type Connection, KeyRefusal, Outage, Refusal } from './graph.ts';
import { languagesOf, preferred, storeName, tag } from './languages.ts';
import { askMenu, askOverview, askStores, type Card, type Overview, type Store } from './operations.ts';

const controls = findControls();
const keyForm = find('#key-form', HTMLFormElement);
const keyField = find('#key', HTMLInputElement);
const forget = find('#forget', HTMLButtonElement);
const message = find('#message', HTMLElement);
const note = find('#note', HTMLElement);
const again = find('#again', HTMLButtonElement);
const menuPlace = find('#menu', HTMLElement);
const diagnosticsPlace = find('#diagnostics', HTMLElement);

let choice = readChoice(location.search);
let stores: readonly Store[] | undefined;
let overview: Overview | undefined;
let loading = new AbortController();

/** Shows what is chosen. Only the newest wish counts: one that is still under way is given up. */
async function show(): Promise<void> {
  loading.abort();
  loading = new AbortController();
  const { signal } = loading;
  const key = readKey();
  showKey(key !== '');
  if (key === '') return tell('Menus need a key. The first start of the server prints one.');
  try {
    tell('Loading…');
    await load({ key, signal });
  } catch (error) {
    if (!signal.aborted) fail(error);
  }
}

async function load(connection: Connection): Promise<void> {
  stores ??= (await askStores({}, connection)).stores;
  const store = choice.store ?? stores[0]?.id;
  offerStores(controls, stores, store);
  controls.form.hidden = false;
  controls.view.hidden = overview?.id !== store;
  if (store === undefined) throw new Refusal("This key's scope has no store.");
  if (overview?.id !== store) overview = (await askOverview({ store }, connection)).store ?? undefined;
  if (!overview) throw new Refusal(`No store in this key's scope has the id “${store}”.`);
  controls.view.hidden = false;

  const { timezone } = overview;
  const languages = languagesOf(overview);
  const wanted = [...(choice.language ? [choice.language] : []), ...navigator.languages];
  const language = preferred(languages, wanted) ?? '';
  const moment = choice.at === 'now' || choice.at === 'any' ? thisMinute() : momentOf(choice.at, timezone);
  if (!moment) throw new Refusal(`“${choice.at}” is no time such as 2026-03-07T01:30.`);
  offerLanguages(controls, languages, language);
  showMoment(controls, choice, { moment, timezone });

  const at = choice.at === 'any' ? null : moment.toISOString();
  const { store: card } = await askMenu({ store, languages: [language, ...wanted], at }, connection);
  if (!card) throw new Refusal(`The store with the id “${store}” is gone.`);
  draw(overview, card, language);
  choice = { ...choice, store, language };
  history.replaceState(null, '', writeChoice(choice));
}

function draw({ id, name, timezone, menuDiagnostics }: Overview, { menus, ...card }: Card, language: string): void {
  const title = storeName(name, [language, ...navigator.languages]) ?? id;
  const count = menus.length === 1 ? '1 menu is' : `${menus.length || 'no'} menus are`;
  const clock = timezone ? `Times are those of ${timezone}.` : 'The store has no timezone: times are UTC.';
  document.title = `${title} · Menu viewer · Carte`;
  tell(`${title}: ${count} on sale ${choice.at === 'any' ? 'at some time' : 'at this time'}.`);
  note.textContent = `Revision ${card.menuRevision}. ${clock} Prices have two decimals and no currency, since the graph names none.`;
  menuPlace.lang = tag(language);
  menuPlace.replaceChildren(...renderCard({ menus, ...card }));
  diagnosticsPlace.replaceChildren(...renderDiagnostics(menuDiagnostics));
}

function clear(): void {
  note.textContent = '';
  menuPlace.replaceChildren();
  diagnosticsPlace.replaceChildren();
}

function thisMinute(): Date {
  return new Date(Math.floor(Date.now() / 60_000) * 60_000);
}

function tell(text: string): void {
  message.textContent = text;
  message.classList.remove('bad');
  again.hidden = true;
}

function fail(error: unknown): void {
  if (error instanceof KeyRefusal) {
    rememberKey('');
    showKey(false);
  }
  tell(error instanceof Refusal ? error.message : `This page has an error: ${error}`);
  message.classList.add('bad');
  again.hidden = !(error instanceof Outage);
  clear();
}

function showKey(given: boolean): void {
  for (const part of keyForm.children) if (part instanceof HTMLElement) part.hidden = given !== (part === forget);
  if (!given) controls.form.hidden = true;
}

keyForm.addEventListener('submit', event => {
  event.preventDefault();
  rememberKey(keyField.value.trim());
  keyField.value = '';
  show();
});
forget.addEventListener('click', () => {
  rememberKey('');
  stores = undefined;
  overview = undefined;
  clear();
  show();
});
controls.at.addEventListener('input', () => chooseTime(controls));
controls.form.addEventListener('change', () => {
  choice = chosen(controls);
  show();
});
controls.form.addEventListener('submit', event => event.preventDefault());
again.addEventListener('click', () => show());
await show();
