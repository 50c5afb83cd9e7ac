import { html, nothing, type TemplateResult } from 'lit-html';
import { messageOf, RequestError } from '../../errors.ts';
import type { App } from '../app.ts';
import type { StoreContext } from '../session.ts';
import type { Line, LineParts } from './ticket.ts';

/** Creates the button that marks what a line of an order has as sold out, and takes that back; undefined for a key that may not. */
export function createSoldOut(app: App, store: StoreContext): LineParts['action'] | undefined {
  if (!app.can('STOCK') || !app.can('READ_MENUS')) return undefined;
  let soldOut: ReadonlySet<string> = new Set();

  async function set({ externalId, isModifier, name }: Line): Promise<void> {
    if (externalId === undefined) return;
    const kind = isModifier ? 'modifierItems' : 'items';
    const key = `${kind}/${externalId}`;
    const inStock = soldOut.has(key);
    try {
      const { setStock } = await import('../stock/entries.ts');
      await setStock(store.id, [{ key, kind, externalId, inStock, until: null }]);
      soldOut = new Set(inStock ? [...soldOut].filter(other => other !== key) : [...soldOut, key]);
      app.notices.info(`${name} is ${inStock ? 'in stock again' : 'sold out, until it is put back'}.`);
    } catch (error) {
      const reason = error instanceof RequestError ? messageOf(error) : 'Is there a network?';
      app.notices.problem(`The stock of ${name} was not changed. ${reason}`);
    }
  }

  return (line): TemplateResult | typeof nothing => {
    if (line.externalId === undefined) return nothing;
    const isSoldOut = soldOut.has(`${line.isModifier ? 'modifierItems' : 'items'}/${line.externalId}`);
    return html`
      <button type="button" class="sold-out-button" aria-pressed=${isSoldOut} aria-label="Sold out: ${line.name}"
        @click=${() => set(line)}>${isSoldOut ? 'Sold out' : 'Sold out?'}</button>`;
  };
}
