import { html } from 'lit-html';
import { Conflict } from '../../errors.ts';
import type { PricedKind } from '../../menu/card.ts';
import type { App } from '../app.ts';
import { openOperations } from '../client.ts';
import { renderChoice } from '../dialog.ts';
import { errorAt, type FieldErrors, fieldErrors, onSubmit, textOf } from '../fields.ts';
import type { StoreContext } from '../session.ts';

const { operation } = openOperations(new URL('edit.graphql', import.meta.url));
const fetchAmounts = operation('Amounts');
const changePrices = operation('ChangePrices');

interface Money {
  readonly amount: number;
  readonly decimal: string | null;
}

interface Amounts {
  readonly revision: number;
  readonly price: number;
  readonly tax: number;
  /** The decimals of the currency; two if it is unknown. */
  readonly digits: number;
}

export interface Priced {
  readonly kind: PricedKind;
  readonly externalId: string;
  readonly name: string;
}

/** Asks for the price of an item, or the change of a modifier item, and its tax, which follows the price unless it is set. */
export async function askPrice(app: App, store: StoreContext, priced: Priced, onChanged: () => void): Promise<void> {
  const isItem = priced.kind === 'items';
  let amounts = await load();
  let errors: FieldErrors = {};
  if (!amounts) return app.notices.problem(`${priced.name} is no longer on the menu.`);
  const format = (amount: number, { digits }: Amounts) => (amount / 10 ** digits).toFixed(digits);

  async function load(): Promise<Amounts | undefined> {
    const { externalId } = priced;
    const ids = isItem ? { item: externalId, modifierItem: '' } : { item: '', modifierItem: externalId };
    const { store: found } = await fetchAmounts({ store: store.id, ...ids });
    const revision = found?.menuRevision ?? 0;
    const toAmounts = (price: Money, tax: Pick<Money, 'amount'>) => {
      const digits = price.decimal === null ? 2 : (price.decimal.split('.')[1]?.length ?? 0);
      return { revision, price: price.amount, tax: tax.amount, digits };
    };
    if (isItem) return found?.item ? toAmounts(found.item.price, found.item.tax) : undefined;
    const option = found?.modifierItem;
    return option ? toAmounts(option.priceChange, option.taxChange) : undefined;
  }

  function read(form: FormData) {
    return { price: parseAmount(textOf(form, 'price'), amounts), tax: parseAmount(textOf(form, 'tax'), amounts) };
  }

  async function send({ price, tax }: ReturnType<typeof read>): Promise<void> {
    const message = `Enter an amount such as ${format(1250, amounts ?? fallback)}.`;
    errors = { ...(price === undefined && { price: message }), ...(tax === undefined && { tax: message }) };
    if (price === undefined || tax === undefined || !amounts) return app.update();
    const { externalId } = priced;
    const lists = isItem
      ? { items: [{ externalId, price, tax }] }
      : { modifierItems: [{ externalId, priceChange: price, taxChange: tax }] };
    try {
      await changePrices({ input: { storeId: store.id, expectedMenuRevision: amounts.revision, ...lists } });
      app.dialogs.close();
      app.notices.info(`The price of ${priced.name} is changed.`);
      onChanged();
    } catch (error) {
      errors = error instanceof Conflict ? await explainConflict() : toFields(fieldErrors(error));
      app.update();
    }
  }

  /** Someone else has changed the menu, maybe something else in it: the next attempt is against what it is now. */
  async function explainConflict(): Promise<FieldErrors> {
    const before = amounts;
    amounts = (await load().catch(() => undefined)) ?? amounts;
    const isSame = amounts?.price === before?.price && amounts?.tax === before?.tax;
    const what = isSame || !amounts ? 'something else in the menu' : `this price to ${format(amounts.price, amounts)}`;
    return { '': `Someone else has just changed ${what}. Save again if you still want to.` };
  }

  /** The tax is an amount, so a new price alone would change its rate. */
  function follow({ target }: InputEvent): void {
    const { form, value } = target as HTMLInputElement;
    const tax = form?.elements.namedItem('tax');
    const price = parseAmount(value, amounts);
    if (!(tax instanceof HTMLInputElement) || tax.dataset.isSet || price === undefined || !amounts?.price) return;
    tax.value = format(Math.round((amounts.tax * price) / amounts.price), amounts);
  }

  const { currency } = store;
  app.dialogs.open({
    title: `Price of ${priced.name}`,
    body: () => html`
      <form class="form" novalidate @submit=${onSubmit(read, send)}>
        <label>${isItem ? 'Price' : 'Change of the price'}${currency ? ` in ${currency}` : ''}
          <input name="price" inputmode="decimal" autocomplete="off" autofocus dir="ltr" @input=${follow}
            aria-invalid=${'price' in errors} value=${amounts ? format(amounts.price, amounts) : ''}></label>
        ${errorAt(errors, 'price')}
        <label>Tax in it, or on top of it
          <input name="tax" inputmode="decimal" autocomplete="off" dir="ltr" aria-invalid=${'tax' in errors}
            value=${amounts ? format(amounts.tax, amounts) : ''} @input=${({ target }: InputEvent) => {
              (target as HTMLInputElement).dataset.isSet = 'true';
            }}></label>
        ${errorAt(errors, 'tax')}
        ${errorAt(errors, '')}
        ${renderChoice(app, html`<button class="main">Save</button>`)}
      </form>`,
  });
}

const fallback = { revision: 0, price: 0, tax: 0, digits: 2 };

/** Reads `12.50` or `12,50` in the smallest unit; undefined if it is no amount of the currency. */
function parseAmount(text: string, amounts: Amounts = fallback): number | undefined {
  const { digits } = amounts;
  const match = /^([-−+]?)(\d{1,12})(?:[.,](\d*))?$/.exec(text.replaceAll(/\s/g, ''));
  if (!match) return undefined;
  const [, sign, whole, fraction = ''] = match;
  if (fraction.length > digits) return undefined;
  const amount = Number(`${whole}${fraction.padEnd(digits, '0')}`);
  return sign === '-' || sign === '−' ? -amount : amount;
}

/** `items.0.price` and `modifierItems.0.priceChange` are both the field of the price. */
const toFields = (errors: FieldErrors): FieldErrors =>
  Object.fromEntries(
    Object.entries(errors).map(([path, message]) => [
      /price/i.test(path) ? 'price' : /tax/i.test(path) ? 'tax' : '',
      message,
    ]),
  );
