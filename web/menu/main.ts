import { find } from '../element.ts';
import { readKey, saveKey } from '../key.ts';
import { renderCard } from './card.ts';
import {
  fetchMenuCard,
  fetchOverview,
  fetchStores,
  KeyError,
  type MenuCard,
  type Overview,
  type RequestOptions,
  RetryableError,
  type Store,
  UserError,
} from './client.ts';
import { checkTime, findControls, listLanguages, listStores, readControls, setTime } from './controls.ts';
import { renderDiagnostics } from './diagnostics.ts';
import { chooseLanguage, languagesOf, languageTag, storeName } from './languages.ts';
import { parseLocalTime } from './local-time.ts';
import { formatSearch, parseSearch } from './url.ts';

const controls = findControls();
const keyForm = find('#key-form', HTMLFormElement);
const keyInput = find('#key', HTMLInputElement);
const forgetButton = find('#forget', HTMLButtonElement);
const message = find('#message', HTMLElement);
const note = find('#note', HTMLElement);
const retryButton = find('#retry', HTMLButtonElement);
const menuElement = find('#menu', HTMLElement);
const diagnosticsElement = find('#diagnostics', HTMLElement);

let state = parseSearch(location.search);
let stores: readonly Store[] | undefined;
let overview: Overview | undefined;
let loading = new AbortController();

/** Loads and shows the current state, and aborts a load in progress. */
async function update(): Promise<void> {
  loading.abort();
  loading = new AbortController();
  const { signal } = loading;
  const key = readKey();
  showKeyForm(key !== '');
  if (key === '') return showMessage('Menus need a key. The first start of the server prints one.');
  try {
    showMessage('Loading…');
    await load({ key, signal });
  } catch (error) {
    if (!signal.aborted) showError(error);
  }
}

async function load(options: RequestOptions): Promise<void> {
  stores ??= (await fetchStores({}, options)).stores.nodes;
  const store = state.store ?? stores[0]?.id;
  listStores(controls, stores, store);
  controls.form.hidden = false;
  controls.view.hidden = overview?.id !== store;
  if (store === undefined) throw new UserError("This key's scope has no store.");
  if (overview?.id !== store) overview = (await fetchOverview({ store }, options)).store ?? undefined;
  if (!overview) throw new UserError(`No store in this key's scope has the id “${store}”.`);
  controls.view.hidden = false;

  const { timezone } = overview;
  const languages = languagesOf(overview);
  const preferred = [...(state.language ? [state.language] : []), ...navigator.languages];
  const language = chooseLanguage(languages, preferred) ?? '';
  const time = state.at === 'now' || state.at === 'any' ? currentMinute() : parseLocalTime(state.at, timezone);
  if (!time) throw new UserError(`“${state.at}” is not a time such as 2026-03-07T01:30.`);
  listLanguages(controls, languages, language);
  setTime(controls, state.at, { time, timezone });

  const at = state.at === 'any' ? null : time.toISOString();
  const { store: card } = await fetchMenuCard({ store, languages: [language, ...preferred], at }, options);
  if (!card) throw new UserError(`The store with the id “${store}” no longer exists.`);
  render(overview, card, language);
  state = { ...state, store, language };
  history.replaceState(null, '', formatSearch(state));
}

function render({ id, name, timezone, menuDiagnostics }: Overview, card: MenuCard, language: string): void {
  const { menus, menuRevision } = card;
  const title = storeName(name, [language, ...navigator.languages]) ?? id;
  const count = menus.length === 1 ? '1 menu is' : `${menus.length || 'no'} menus are`;
  const timezoneNote = timezone ? `Times are in ${timezone}.` : 'The store has no timezone: times are in UTC.';
  document.title = `${title} · Menu viewer · Carte`;
  showMessage(`${title}: ${count} available ${state.at === 'any' ? 'at some time' : 'at this time'}.`);
  note.textContent = `Revision ${menuRevision}. ${timezoneNote} Prices have two decimals and no currency, since the graph has none.`;
  menuElement.lang = languageTag(language);
  menuElement.replaceChildren(...renderCard(card));
  diagnosticsElement.replaceChildren(...renderDiagnostics(menuDiagnostics));
}

function clear(): void {
  note.textContent = '';
  menuElement.replaceChildren();
  diagnosticsElement.replaceChildren();
}

function currentMinute(): Date {
  return new Date(Math.floor(Date.now() / 60_000) * 60_000);
}

function showMessage(text: string): void {
  message.textContent = text;
  message.classList.remove('bad');
  retryButton.hidden = true;
}

function showError(error: unknown): void {
  if (error instanceof KeyError) {
    saveKey('');
    showKeyForm(false);
  }
  showMessage(error instanceof UserError ? error.message : `This page has an error: ${error}`);
  message.classList.add('bad');
  retryButton.hidden = !(error instanceof RetryableError);
  clear();
}

function showKeyForm(hasKey: boolean): void {
  for (const part of keyForm.children)
    if (part instanceof HTMLElement) part.hidden = hasKey !== (part === forgetButton);
  if (!hasKey) controls.form.hidden = true;
}

keyForm.addEventListener('submit', event => {
  event.preventDefault();
  saveKey(keyInput.value.trim());
  keyInput.value = '';
  update();
});
forgetButton.addEventListener('click', () => {
  saveKey('');
  stores = undefined;
  overview = undefined;
  clear();
  update();
});
controls.at.addEventListener('input', () => checkTime(controls));
controls.form.addEventListener('change', () => {
  state = readControls(controls);
  update();
});
controls.form.addEventListener('submit', event => event.preventDefault());
retryButton.addEventListener('click', () => update());
await update();
