import { element, find } from '../element.ts';
import { KeyRejected, messageOf, RequestError, Unreachable } from '../errors.ts';
import { mountFrame } from '../frame/main.ts';
import { isPublishable, readKey, reloadIfKeyChanged } from '../key.ts';
import { createKeyForm } from '../key-form.ts';
import { createMenuRenderer } from './card.ts';
import {
  fetchDiagnostics,
  fetchLanguages,
  fetchMenuCard,
  fetchOpenings,
  fetchStoreDetails,
  fetchStores,
  type LoadOptions,
  type MenuCard,
  type Store,
  type StoreDetails,
} from './client.ts';
import { checkTime, findControls, labelPage, listLanguages, listStores, readControls, setTime } from './controls.ts';
import { renderDiagnostics } from './diagnostics.ts';
import { createFormat } from './format.ts';
import { chooseLanguage, directionOf, languageTag, localeOf, storeName } from './languages.ts';
import { parseLocalTime } from './local-time.ts';
import { type Openings, renderOpenings, renderOrdering, renderSpecialHours } from './openings.ts';
import { createSearch } from './search.ts';
import { createSections, hashTarget } from './sections.ts';
import { textsFor } from './texts.ts';
import { formatSearch, parseSearch } from './url.ts';

reloadIfKeyChanged();
mountFrame();
const controls = findControls();
const message = find('#message', HTMLElement);
const notice = find('#notice', HTMLElement);
const note = find('#note', HTMLElement);
const retryButton = find('#retry', HTMLButtonElement);
const columns = find('#columns', HTMLElement);
const menuElement = find('#menu', HTMLElement);
const diagnosticsElement = find('#diagnostics', HTMLElement);
const sections = createSections(find('#sections', HTMLElement), menuElement);
const search = createSearch(menuElement, () => sections.refresh());
const keyForm = createKeyForm({
  note: 'message',
  onChange() {
    stores = undefined;
    clear();
    update();
  },
});
find('.masthead', HTMLElement).append(keyForm.form);

/** The language is the one that the reader wants, whether or not the store has it. */
let state = parseSearch(location.search);
// A secret key that somebody has put there is neither used nor shown.
if (/[?&]key=/.test(location.search) && !state.key) history.replaceState(null, '', formatSearch(state) + location.hash);
// A link with a publishable key is for guests, who need the menu alone.
find('.head', HTMLElement).hidden = state.key !== undefined;
let texts = textsFor(preferredLanguages());
labelPage(controls, texts);
let stores: readonly Store[] | undefined;
let shownStore: string | undefined;
let loading = new AbortController();

function preferredLanguages(): readonly string[] {
  return [...(state.language ? [state.language] : []), ...navigator.languages];
}

/** Loads and shows the current state, and aborts a load in progress. */
async function update(): Promise<void> {
  loading.abort();
  loading = new AbortController();
  const { signal } = loading;
  const key = state.key ?? readKey();
  keyForm.show(key !== '', { isOfUrl: state.key !== undefined });
  notice.textContent = '';
  if (key === '') {
    controls.form.hidden = true;
    return showMessage(texts.needsKey);
  }
  try {
    showMessage(texts.loading);
    await load({ key, signal });
  } catch (error) {
    if (!signal.aborted) showError(error);
  }
}

async function load(options: LoadOptions): Promise<void> {
  const [list, linked] = await Promise.all([
    stores ?? fetchStores({}, options).then(result => result.stores.nodes),
    state.store === undefined ? undefined : loadStore(state.store, options),
  ]);
  stores = list;
  keyForm.accept();
  const store = state.store ?? list[0]?.id;
  const preferred = preferredLanguages();
  listStores(controls, { stores: list, selected: store, languages: preferred });
  controls.form.hidden = false;
  controls.view.hidden = shownStore !== store;
  if (store === undefined) throw new RequestError("This key's scope has no store.");
  const found = state.store === undefined ? await loadStore(store, options) : linked;
  if (!found) throw new RequestError(`No store in this key's scope has the id “${store}”.`);

  const { details, languages } = found;
  const language = chooseLanguage(languages, preferred) ?? '';
  const time = selectTime(details.timezone);
  listLanguages(controls, languages, language);
  setTime(controls, state.at, { time, timezone: details.timezone });
  controls.view.hidden = false;

  const [card, openings] = await Promise.all([
    fetchMenuCard({ store, languages: [language, ...preferred] }, options),
    state.at === 'any' ? new Map() : loadOpenings(store, time, options),
  ]);
  if (!card) throw new RequestError(`The store with the id “${store}” no longer exists.`);
  if (shownStore !== store) search.reset();
  render(details, card, { language, openings, time });
  const isFirst = shownStore === undefined;
  shownStore = store;
  state = { ...state, store };
  const hash = isFirst ? location.hash : '';
  history.replaceState(null, '', `${formatSearch({ ...state, language: state.language ?? language })}${hash}`);
  if (isFirst) document.getElementById(hashTarget())?.scrollIntoView();
  if (isPublishable(options.key)) return;
  const { store: diagnosed } = await fetchDiagnostics({ store }, options);
  diagnosticsElement.replaceChildren(...renderDiagnostics(diagnosed?.menuDiagnostics ?? []));
}

async function loadStore(store: string, options: LoadOptions) {
  const [{ store: details }, { store: menus }] = await Promise.all([
    fetchStoreDetails({ store }, options),
    fetchLanguages({ store }, options),
  ]);
  return details && menus ? { details, languages: menus.menuLanguages } : undefined;
}

async function loadOpenings(store: string, time: Date, options: LoadOptions): Promise<Openings> {
  const found = await fetchOpenings({ store, at: time.toISOString() }, options);
  return new Map(
    found.store?.menus.map(({ externalId, nextAvailableAt }) => [
      externalId,
      nextAvailableAt ? new Date(nextAvailableAt) : undefined,
    ]),
  );
}

/** Returns the selected time; the current minute if it is none, which is reported. */
function selectTime(timezone: string | null): Date {
  const now = new Date(Math.floor(Date.now() / 60_000) * 60_000);
  if (state.at === 'now' || state.at === 'any') return now;
  const time = parseLocalTime(state.at, timezone);
  if (time) return time;
  notice.textContent = `“${state.at}” is not a time such as 2026-03-07T01:30. This is what is available now.`;
  state = { ...state, at: 'now' };
  return now;
}

interface View {
  readonly language: string;
  readonly openings: Openings;
  readonly time: Date;
}

function render(details: StoreDetails, { menus, modifierGroups }: MenuCard, view: View): void {
  const { language, openings, time } = view;
  const { timezone, currency } = details;
  const languages = [language, ...navigator.languages];
  texts = textsFor(languages);
  const format = createFormat({ locale: localeOf(language, navigator.languages), texts, currency, timezone });
  const when = state.at === 'now' || state.at === 'any' ? state.at : 'at';
  const isShown = (externalId: string) => when === 'any' || openings.get(externalId)?.getTime() === time.getTime();
  const shown = menus.filter(({ externalId }) => isShown(externalId));

  const title = storeName(details.name, languages) ?? details.id;
  document.title = `${title} · ${texts.title} · Carte`;
  showMessage(element('bdi', {}, title), `: ${texts.menusAvailable(shown.length, when)}`);
  note.textContent = `${texts.timesIn(timezone)} ${texts.pricesIn(currency)}`;
  labelPage(controls, texts);
  columns.dir = directionOf(language);
  columns.lang = languageTag(language);
  menuElement.replaceChildren(
    ...(when === 'at' ? [] : renderOrdering(details, { texts, format })),
    ...(when === 'any' ? [] : renderSpecialHours(details, time, { texts, format })),
    ...(shown.length > 0
      ? shown.map(createMenuRenderer(modifierGroups, { texts, format }))
      : renderOpenings(menus, openings, { texts, format })),
  );
  sections.show(texts);
  search.show(texts);
}

function clear(): void {
  note.textContent = '';
  shownStore = undefined;
  menuElement.replaceChildren();
  diagnosticsElement.replaceChildren();
  sections.show();
  search.show();
}

function showMessage(...parts: readonly (Node | string)[]): void {
  message.replaceChildren(...parts);
  message.lang = texts.language;
  message.classList.remove('bad');
  retryButton.hidden = true;
}

function showError(error: unknown): void {
  if (error instanceof KeyRejected) {
    stores = undefined;
    controls.form.hidden = true;
    if (state.key === undefined) keyForm.reject();
  }
  showMessage(messageOf(error));
  message.lang = 'en';
  message.classList.add('bad');
  retryButton.hidden = !(error instanceof Unreachable);
  clear();
}

controls.at.addEventListener('input', () => checkTime(controls));
controls.form.addEventListener('change', event => {
  const language = event.target === controls.language ? controls.language.value : state.language;
  state = { ...state, ...readControls(controls), language };
  update();
});
controls.form.addEventListener('submit', event => event.preventDefault());
retryButton.addEventListener('click', () => update());
update();
