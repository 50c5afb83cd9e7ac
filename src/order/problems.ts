import type { ValidationError } from '@carte/base/errors';
import type { OrderProblemCode } from '../generated/graph.ts';

/** A reason to refuse an order. One whose type is not among the codes of the graph does not compile. */
export type OrderProblem = ValidationError<Lowercase<OrderProblemCode>>;
