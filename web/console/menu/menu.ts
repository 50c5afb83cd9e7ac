import { html, nothing, type TemplateResult } from 'lit-html';
import { element } from '../../element.ts';
import { createMenuRenderer, type Presentation } from '../../menu/card.ts';
import { renderDiagnostics } from '../../menu/diagnostics.ts';
import { createFormat } from '../../menu/format.ts';
import { directionOf, languageName, languageTag, localeOf } from '../../menu/languages.ts';
import { textsFor } from '../../menu/texts.ts';
import type { App, Screen } from '../app.ts';
import { openOperations } from '../client.ts';
import type { StoreContext } from '../session.ts';
import { pollMenu } from '../stock/entries.ts';
import { renderNoMenu } from './no-menu.ts';
import { askPrice, type Priced } from './prices.ts';
import { createSpecialHours } from './special-hours.ts';

// The operations of the menu viewer.
const { operation } = openOperations(new URL('../../menu/menu.graphql', import.meta.url));
const fetchMenu = operation('Menu');
const fetchDiagnostics = operation('Diagnostics');

/** The whole menu of a store as guests read it, and what is doubtful in it. */
export function createMenu(app: App, store: StoreContext): Screen {
  let language = store.languages[0] ?? '';
  let revision: number | undefined;
  let card: readonly Node[] = [];
  let findings: readonly Node[] = [];

  async function load(): Promise<void> {
    const languages = [language, ...navigator.languages];
    const [{ store: found }, { store: diagnosed }] = await Promise.all([
      fetchMenu({ store: store.id, languages }),
      fetchDiagnostics({ store: store.id }),
    ]);
    if (!found) return;
    const texts = textsFor(languages);
    const locale = localeOf(language, navigator.languages);
    const format = createFormat({ locale, texts, currency: store.currency, timezone: store.timezone });
    revision = found.menuRevision;
    card = found.menus.map(
      createMenuRenderer(found.modifierGroups, { texts, format, ...(app.can('MENU') && { renderPrice }) }),
    );
    findings = renderDiagnostics(diagnosed?.menuDiagnostics ?? []);
    app.update();
  }

  /** A price that is changed where it is shown. */
  const renderPrice: NonNullable<Presentation['renderPrice']> = ({ text, ...priced }) => {
    const label = { type: 'button', class: 'price', title: `Change the price of ${priced.name}` };
    const button = element(
      'button',
      label,
      text || '+0',
      element('span', { class: 'visually-hidden', lang: 'en' }, ` Change the price of ${priced.name}`),
    );
    button.addEventListener('click', () => change(priced));
    return button;
  };
  const change = (priced: Priced) => askPrice(app, store, priced, () => load().catch(app.fail)).catch(app.fail);

  const specialHours = createSpecialHours(app, store);
  const close = pollMenu({ app, storeId: store.id, revision: () => revision, load });

  function choose({ target }: Event): void {
    language = (target as HTMLSelectElement).value;
    load().catch(app.fail);
  }

  function view(): TemplateResult {
    return html`
      <div class="page menu-page">
        <div class="board-head">
          <h1 dir="auto">${store.name}</h1>
          ${store.menuLanguages.length > 1 ? renderLanguages() : nothing}
          <a href="menu?${new URLSearchParams({ store: store.id, language })}">As guests see it now</a>
        </div>
        ${revision === undefined ? html`<p class="small" role="status">Loading…</p>` : nothing}
        ${revision !== undefined && card.length === 0 ? renderNoMenu(app, store) : nothing}
        ${specialHours.view()}
        <div class="menu-columns" dir=${directionOf(language)} lang=${languageTag(language)}>
          <article id="menu">${card}</article>
          ${revision === undefined ? nothing : html`<aside id="diagnostics" aria-label="Diagnostics" lang="en" dir="ltr">${findings}</aside>`}
        </div>
      </div>`;
  }

  function renderLanguages(): TemplateResult {
    return html`
      <label>Language
        <select @change=${choose}>${store.menuLanguages.map(
          key => html`<option value=${key} ?selected=${key === language}>${languageName(key)}</option>`,
        )}</select>
      </label>`;
  }

  return { title: () => `Menu · ${store.name}`, view, close };
}
