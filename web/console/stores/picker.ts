import { html, nothing, type TemplateResult } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import { repeat } from 'lit-html/directives/repeat.js';
import type { App } from '../app.ts';
import { countStores, createStoreSearch, nameOfStore, placeOfStore } from './search.ts';

/** A store, or a merchant with all its stores. */
interface Choice {
  /** The name of the field that the form has it in. */
  readonly field: 'stores' | 'merchants';
  readonly id: string;
  readonly name: string;
  readonly detail: string;
}

const maxShown = 5;

/** Creates the part of a form that chooses stores and merchants by their names; `isSingle` for one of them. */
export function createStorePicker(app: App, { isSingle }: { readonly isSingle: boolean }) {
  const search = createStoreSearch(app);
  let chosen: readonly Choice[] = [];
  let isStarted = false;
  /** Whether the form was sent with a text that chooses nothing. */
  let isLeftOver = false;

  function choose(choice: Choice): void {
    chosen = isSingle ? [choice] : [...chosen.filter(other => keyOf(other) !== keyOf(choice)), choice];
    isLeftOver = false;
    search.search('');
    app.update();
  }

  function remove(choice: Choice): void {
    chosen = chosen.filter(other => other !== choice);
    app.update();
  }

  function found(): readonly Choice[] {
    const stores = search.stores.nodes().slice(0, maxShown);
    const merchants = search.merchants.nodes().slice(0, maxShown);
    const all: readonly Choice[] = [
      ...stores.map(
        (store): Choice => ({ field: 'stores', id: store.id, name: nameOfStore(store), detail: placeOfStore(store) }),
      ),
      ...merchants.map(({ id, brandName, stores: { totalCount } }): Choice => {
        return {
          field: 'merchants',
          id,
          name: brandName,
          detail: `with all its stores, now ${countStores(totalCount)}`,
        };
      }),
    ];
    return all.filter(choice => !chosen.some(other => keyOf(other) === keyOf(choice)));
  }

  /** Nothing is searched before somebody needs it. */
  function start(): void {
    if (!isStarted) search.search('');
    isStarted = true;
  }

  function onInput(event: InputEvent): void {
    isLeftOver = false;
    search.type(event);
  }

  async function onKeyDown(event: KeyboardEvent): Promise<void> {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    await search.settle();
    const [first] = found();
    if (first && search.text() !== '') choose(first);
  }

  function view(): TemplateResult {
    return html`
      <div class="picker">
        <ul class="chosen" aria-label="Chosen">${repeat(chosen, keyOf, renderChosen)}</ul>
        <label>${isSingle ? 'Store or merchant' : 'Stores and merchants'}
          <input type="search" autocomplete="off" spellcheck="false" placeholder="Name, city, brand or id"
            aria-invalid=${isLeftOver} .value=${live(search.text())} @focus=${start} @input=${onInput} @keydown=${onKeyDown}></label>
        ${isLeftOver ? html`<span class="field-error" role="alert">Choose one of those that were found for “${search.text()}”, or empty this field.</span>` : nothing}
        <ul class="list" aria-label="Found">${repeat(isStarted ? found() : [], keyOf, renderFound)}</ul>
        <p class="small" role="status">${isStarted ? describe() : ''}</p>
      </div>`;
  }

  function describe(): string {
    const [stores, merchants] = [search.stores.count(), search.merchants.count() ?? 0];
    if (stores === undefined) return 'Loading…';
    if (stores + merchants === 0) return 'Nothing found';
    return Math.max(stores, merchants) > maxShown
      ? `The first ${maxShown} of each are shown: type to find others.`
      : '';
  }

  function renderChosen(choice: Choice): TemplateResult {
    return html`
      <li class="picked"><bdi>${choice.name}</bdi> <span class="small">${choice.field === 'merchants' ? choice.detail : choice.id}</span>
        <button type="button" aria-label="Remove ${choice.name}" @click=${() => remove(choice)}>×</button>
        <input type="hidden" name=${choice.field} value=${choice.id}></li>`;
  }

  function renderFound(choice: Choice): TemplateResult {
    return html`
      <li><button type="button" class="row" @click=${() => choose(choice)}>
        <strong><bdi>${choice.name}</bdi></strong> <span class="small"><bdi>${choice.detail}</bdi> <code>${choice.id}</code></span>
      </button></li>`;
  }

  return {
    view,
    /** Whether the form may be sent: not with a text that somebody has typed but not chosen from. */
    check(): boolean {
      isLeftOver = search.text().trim() !== '';
      app.update();
      return !isLeftOver;
    },
    clear(): void {
      chosen = [];
    },
    close: search.close,
  };
}

const keyOf = ({ field, id }: Choice) => `${field}/${id}`;
