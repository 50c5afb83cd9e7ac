import { checkCount, checkLength, checkRange, type ErrorPath, findUnstorable } from '@carte/base/validation';
import type { OrderLineInput, PlaceOrderInput, QuoteOrderInput } from '../generated/graph.ts';
import type { OrderProblem } from './problems.ts';
import { checkService } from './service.ts';

// As the descriptions in schema/order.graphql state them.
const keyLength = { min: 1, max: 255 };
const nameLength = { min: 1, max: 255 };
const phoneLength = { min: 0, max: 255 };
const textLength = { min: 0, max: 1000 };
const lineCount = { min: 1, max: 200 };
const modifierCount = { min: 0, max: 100 };
/** Of all lines together; a page of orders may have 500 of them. */
const maxModifiers = 2_000;
const lineQuantity = { min: 1, max: 1000 };

/** Its numbers are finite: the scalars take no others. */
const findUnstorableIn = (input: PlaceOrderInput | QuoteOrderInput) =>
  findUnstorable(input, ['input']) as Generator<OrderProblem>;

/** Finds the errors of an order that do not depend on the menu configuration. */
export function* checkInput(input: PlaceOrderInput): Generator<OrderProblem> {
  const { idempotencyKey, customer } = input;
  yield* findUnstorableIn(input);
  yield* checkLength(['input', 'idempotencyKey'], idempotencyKey, keyLength);
  yield* checkLength(['input', 'customer', 'name'], customer.name, nameLength);
  yield* checkLength(['input', 'customer', 'phone'], customer.phone, phoneLength);
  yield* checkOrdered(input);
}

/** The same for an order that is not placed yet. */
export function* checkQuoteInput(input: QuoteOrderInput): Generator<OrderProblem> {
  yield* findUnstorableIn(input);
  yield* checkOrdered(input);
}

function* checkOrdered(input: QuoteOrderInput): Generator<OrderProblem> {
  const { customerComments, lines } = input;
  yield* checkLength(['input', 'customerComments'], customerComments, textLength);
  yield* checkService(input, ['input']);
  yield* checkCount(['input', 'lines'], lines.length, lineCount);
  const modifiers = lines.reduce((count, line) => count + (line.modifiers?.length ?? 0), 0);
  if (modifiers > maxModifiers) {
    const message = `the lines have ${modifiers} modifiers; at most ${maxModifiers} are allowed`;
    yield { path: ['input', 'lines'], type: 'too_long', message };
  }
  for (const [index, line] of lines.entries()) yield* checkLine(line, ['input', 'lines', index]);
}

function* checkLine({ quantity = 1, note, modifiers }: OrderLineInput, path: ErrorPath): Generator<OrderProblem> {
  yield* checkRange([...path, 'quantity'], quantity, lineQuantity);
  yield* checkLength([...path, 'note'], note, textLength);
  yield* checkCount([...path, 'modifiers'], modifiers?.length ?? 0, modifierCount);
  for (const [index, modifier] of (modifiers ?? []).entries()) {
    // The configuration has the maximum.
    const range = { min: 1, max: Number.MAX_SAFE_INTEGER };
    yield* checkRange([...path, 'modifiers', index, 'quantity'], modifier.quantity ?? 1, range);
  }
}
