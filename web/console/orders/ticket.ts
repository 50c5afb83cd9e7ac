import { html, nothing, type TemplateResult } from 'lit-html';
import type { IconName } from '../../icon-names.ts';
import { storeName } from '../../menu/languages.ts';
import { icon } from '../icon.ts';
import type { Order } from './operations.ts';

/** What else a line has beside its text. */
export interface LineParts {
  /** Of a line of the order. */
  readonly mark?: (line: Line, index: number) => TemplateResult;
  /** Of a line or a modifier. */
  readonly action?: (line: Line) => TemplateResult | typeof nothing;
}

/** Renders what to prepare: a line for each item and each modifier, and every note. */
export function renderLines({ items }: Order, { mark, action }: LineParts = {}): TemplateResult {
  return html`<ul class="lines">${items.map(readLine).map(
    (line, index) => html`
      <li>
        ${mark?.(line, index)}
        <b>${line.quantity}</b>
        <div>
          <bdi>${line.name}</bdi>
          ${action?.(line)}
          ${renderModifiers(line.modifiers, action)}
          ${renderNote(line.note)}
        </div>
      </li>`,
  )}</ul>`;
}

function renderModifiers(modifiers: readonly Line[], action: LineParts['action']): TemplateResult | typeof nothing {
  if (modifiers.length === 0) return nothing;
  return html`<ul>${modifiers.map(
    modifier => html`
      <li>
        ${modifier.quantity > 1 ? html`${modifier.quantity} × ` : nothing}<bdi>${modifier.name}</bdi>
        ${action?.(modifier)}
        ${renderModifiers(modifier.modifiers, action)}
        ${renderNote(modifier.note)}
      </li>`,
  )}</ul>`;
}

/** The number of items, e.g. `5 items`. */
export function countItems({ items }: Order): string {
  const count = items.map(readLine).reduce((sum, { quantity }) => sum + quantity, 0);
  return count === 1 ? '1 item' : `${count} items`;
}

/** Renders a text of the guest, which the kitchen must not miss. */
export function renderNote(text: string | null | undefined): TemplateResult | typeof nothing {
  return text ? html`<p class="note" dir="auto">${text}</p>` : nothing;
}

/** A line of an order, as far as it can be shown. */
export interface Line {
  /** Undefined if it is not known. */
  readonly externalId: string | undefined;
  /** Whether it is a modifier. */
  readonly isModifier: boolean;
  readonly quantity: number;
  readonly name: string;
  /** For all of them, with modifiers; undefined if it is not known. */
  readonly note: string | undefined;
  readonly modifiers: readonly Line[];
}

type JsonObject = Readonly<Record<string, unknown>>;

/** Reads a line. Those of an imported order may have any shape, so what is not recognized is shown as JSON. */
function readLine(item: JsonObject): Line {
  return readPart(item, false);
}

function readPart(item: JsonObject, isModifier: boolean): Line {
  const modifiers = Array.isArray(item.modifiers) ? item.modifiers.filter(isObject) : [];
  return {
    externalId: typeof item.external_id === 'string' ? item.external_id : undefined,
    isModifier,
    quantity: typeof item.quantity === 'number' ? item.quantity : 1,
    name: readName(item) ?? JSON.stringify(item),
    note: typeof item.note === 'string' && item.note !== '' ? item.note : undefined,
    modifiers: modifiers.map(modifier => readPart(modifier, true)),
  };
}

function readName({ name, external_id: externalId }: JsonObject): string | undefined {
  if (typeof name === 'string' && name !== '') return name;
  const text = (isObject(name) && storeName(name, navigator.languages)) || externalId;
  return typeof text === 'string' ? text : undefined;
}

const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null;

const icons: Readonly<Record<NonNullable<Order['serviceType']>, IconName>> = {
  PICKUP: 'shopping-bag',
  DELIVERY: 'truck',
  DINE_IN: 'user-group',
  OTHER: 'ticket',
};
const labels = { PICKUP: 'Pick-up', DELIVERY: 'Delivery', DINE_IN: 'Dine-in', OTHER: '' } as const;

/** How the guest gets an order, e.g. `Dine-in, table 12`; empty if the order does not say. */
function serviceOf({ serviceType, table }: Order): string {
  return [serviceType ? labels[serviceType] : '', table ? `table ${table}` : ''].filter(Boolean).join(', ');
}

/** Renders how the guest gets an order, with an icon; nothing if the order does not say. */
export function renderService(order: Order): TemplateResult | typeof nothing {
  const text = serviceOf(order);
  if (!text) return nothing;
  return html`<span class="service">${icon(icons[order.serviceType ?? 'DINE_IN'])} ${text}</span>`;
}

/** The lines of the address as one would read it to a courier, without the note. */
function addressOf({ address }: Order): readonly string[] {
  if (!address) return [];
  const { locationName, addressLine1, addressLine2, addressLine3, postalCode, city, adminArea, country } = address;
  const place = [postalCode, city].filter(Boolean).join(' ');
  return [locationName, addressLine1, addressLine2, addressLine3, place, adminArea, country].filter(
    (line): line is string => !!line,
  );
}

/** Renders where an order is delivered, and the note for whoever delivers it. */
export function renderAddress(order: Order): TemplateResult | typeof nothing {
  const lines = addressOf(order);
  if (lines.length === 0 && !order.address?.note) return nothing;
  return html`
    <address>${lines.map(line => html`<span dir="auto">${line}</span>`)}</address>
    ${renderNote(order.address?.note)}`;
}
