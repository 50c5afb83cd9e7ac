import { html, nothing, type TemplateResult } from 'lit-html';
import { storeName } from '../../menu/languages.ts';
import type { Order } from './operations.ts';

/** Renders what to prepare: a line for each item and each modifier, and every note. */
export function renderLines({ items }: Order): TemplateResult {
  return html`<ul class="lines">${items.map(readLine).map(renderLine)}</ul>`;
}

function renderLine({ quantity, name, note, modifiers }: Line): TemplateResult {
  return html`
    <li>
      <b>${quantity}</b>
      <div>
        <bdi>${name}</bdi>
        ${renderModifiers(modifiers)}
        ${renderNote(note)}
      </div>
    </li>`;
}

function renderModifiers(modifiers: readonly Line[]): TemplateResult | typeof nothing {
  if (modifiers.length === 0) return nothing;
  return html`<ul>${modifiers.map(
    ({ quantity, name, note, modifiers: below }) => html`
      <li>
        ${quantity > 1 ? html`${quantity} × ` : nothing}<bdi>${name}</bdi>
        ${renderModifiers(below)}
        ${renderNote(note)}
      </li>`,
  )}</ul>`;
}

/** Renders a text of the guest, which the kitchen must not miss. */
export function renderNote(text: string | null | undefined): TemplateResult | typeof nothing {
  return text ? html`<p class="note" dir="auto">${text}</p>` : nothing;
}

/** A line of an order, as far as it can be shown. */
interface Line {
  readonly quantity: number;
  readonly name: string;
  /** For all of them, with modifiers; undefined if it is not known. */
  readonly note: string | undefined;
  readonly modifiers: readonly Line[];
}

type JsonObject = Readonly<Record<string, unknown>>;

/** Reads a line. Those of an imported order may have any shape, so what is not recognized is shown as JSON. */
function readLine(item: JsonObject): Line {
  const modifiers = Array.isArray(item.modifiers) ? item.modifiers.filter(isObject) : [];
  return {
    quantity: typeof item.quantity === 'number' ? item.quantity : 1,
    name: readName(item) ?? JSON.stringify(item),
    note: typeof item.note === 'string' && item.note !== '' ? item.note : undefined,
    modifiers: modifiers.map(readLine),
  };
}

function readName({ name, external_id: externalId }: JsonObject): string | undefined {
  if (typeof name === 'string' && name !== '') return name;
  const text = (isObject(name) && storeName(name, navigator.languages)) || externalId;
  return typeof text === 'string' ? text : undefined;
}

const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null;

const labels = { PICKUP: 'Pick-up', DELIVERY: 'Delivery', DINE_IN: 'Dine-in', OTHER: '' } as const;

/** How the guest gets an order, e.g. `Dine-in, table 12`; empty if the order does not say. */
export function serviceOf({ serviceType, table }: Order): string {
  return [serviceType ? labels[serviceType] : '', table ? `table ${table}` : ''].filter(Boolean).join(', ');
}

/** The address in one line, without the note. */
export function addressOf({ address }: Order): string {
  if (!address) return '';
  const { addressLine1, addressLine2, postalCode, city } = address;
  return [addressLine1, addressLine2, [postalCode, city].filter(Boolean).join(' ')].filter(Boolean).join(', ');
}
