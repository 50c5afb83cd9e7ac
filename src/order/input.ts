import type { ValidationError } from '../errors.ts';
import type { OrderLineInput, PlaceOrderInput, QuoteOrderInput } from '../generated/graph.ts';
import { findUnstorable } from '../input/storable.ts';

type Path = readonly (string | number)[];

interface Range {
  readonly min: number;
  readonly max: number;
}

// As the descriptions in schema/order.graphql state them.
const keyLength = { min: 1, max: 255 };
const nameLength = { min: 1, max: 255 };
const phoneLength = { min: 0, max: 255 };
const textLength = { min: 0, max: 1000 };
const lineCount = { min: 1, max: 200 };
const modifierCount = { min: 0, max: 100 };
const lineQuantity = { min: 1, max: 1000 };

/** Finds the errors of an order that do not depend on the menu configuration. */
export function* checkInput(input: PlaceOrderInput): Generator<ValidationError> {
  const { idempotencyKey, customer } = input;
  yield* findUnstorable(input, ['input']);
  yield* checkLength(['input', 'idempotencyKey'], idempotencyKey, keyLength);
  yield* checkLength(['input', 'customer', 'name'], customer.name, nameLength);
  yield* checkLength(['input', 'customer', 'phone'], customer.phone, phoneLength);
  yield* checkOrdered(input);
}

/** The same for an order that is not placed yet. */
export function* checkQuoteInput(input: QuoteOrderInput): Generator<ValidationError> {
  yield* findUnstorable(input, ['input']);
  yield* checkOrdered(input);
}

function* checkOrdered({ customerComments, lines }: QuoteOrderInput): Generator<ValidationError> {
  yield* checkLength(['input', 'customerComments'], customerComments, textLength);
  yield* checkCount(['input', 'lines'], lines.length, lineCount);
  for (const [index, line] of lines.entries()) yield* checkLine(line, ['input', 'lines', index]);
}

function* checkLine({ quantity = 1, note, modifiers }: OrderLineInput, path: Path): Generator<ValidationError> {
  yield* checkQuantity([...path, 'quantity'], quantity, lineQuantity);
  yield* checkLength([...path, 'note'], note, textLength);
  yield* checkCount([...path, 'modifiers'], modifiers?.length ?? 0, modifierCount);
  for (const [index, modifier] of (modifiers ?? []).entries()) {
    // The configuration has the maximum.
    const range = { min: 1, max: Number.MAX_SAFE_INTEGER };
    yield* checkQuantity([...path, 'modifiers', index, 'quantity'], modifier.quantity ?? 1, range);
  }
}

function* checkQuantity(path: Path, quantity: number, { min, max }: Range): Generator<ValidationError> {
  const message = (rule: string) => `${quantity} is too ${rule}`;
  if (quantity < min) {
    yield { path, type: 'greater_than_equal', message: message(`small; it must be at least ${min}`) };
  }
  if (quantity > max) yield { path, type: 'less_than_equal', message: message(`large; it must be at most ${max}`) };
}

function* checkCount(path: Path, count: number, { min, max }: Range): Generator<ValidationError> {
  if (count < min) yield { path, type: 'too_short', message: `the list is empty; an order needs at least ${min}` };
  if (count > max)
    yield { path, type: 'too_long', message: `the list has ${count} elements; at most ${max} are allowed` };
}

function* checkLength(path: Path, text: string | null | undefined, { min, max }: Range): Generator<ValidationError> {
  if (text == null) return;
  // Counts code points only if there are more UTF-16 code units than the limit.
  const length = text.length > max ? [...text].length : text.length;
  if (length < min) yield { path, type: 'string_too_short', message: 'the text is empty' };
  if (length > max) {
    yield { path, type: 'string_too_long', message: `the text has ${length} characters; at most ${max} are allowed` };
  }
}
