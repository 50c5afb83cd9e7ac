import { storeName } from '../../menu/languages.ts';

/** A line of an order, as far as it can be shown. */
export interface Line {
  readonly quantity: number;
  readonly name: string;
  /** For all of them, with modifiers; undefined if it is not known. */
  readonly note: string | undefined;
  readonly modifiers: readonly Line[];
}

type JsonObject = Readonly<Record<string, unknown>>;

/** Reads the lines of an order. Those of an imported order may have any shape, so what is not recognized is shown as JSON. */
export function readLines(items: readonly JsonObject[]): readonly Line[] {
  return items.map(readLine);
}

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
