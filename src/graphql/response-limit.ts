import { MapperKind, mapSchema } from '@graphql-tools/utils';
import {
  defaultFieldResolver,
  GraphQLError,
  type GraphQLFieldResolver,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isCompositeType,
  isListType,
} from 'graphql';

import { TimeSlice } from '../scheduling/time-slice.ts';

export const responseTooLarge = 'RESPONSE_TOO_LARGE';

/** Objects in the lists of responses, by the context value of the execution. */
export type ObjectCounts = WeakMap<object, { objects: number; readonly slice: TimeSlice }>;

/**
 * Limits the objects in the lists of a response. Query cost assumes list sizes, and a menu may be far denser than assumed: a hundred
 * groups of a hundred modifier items, each standing for the item that offers them, make 10^12 objects in nine levels. Beyond the
 * limit one field fails and all later lists are empty, so that the response has one such error; its data is of no use.
 */
export function limitListObjects(
  schema: GraphQLSchema,
  maxObjects: number,
  counts: ObjectCounts = new WeakMap(),
): GraphQLSchema {
  function count(list: unknown, context: object): unknown {
    if (!Array.isArray(list)) return list;
    const counted = counts.get(context) ?? { objects: 0, slice: new TimeSlice() };
    if (counted.objects === 0) counts.set(context, counted);
    const before = counted.objects;
    counted.objects += list.length;
    // A small response is not worth a look at the clock.
    if (counted.objects <= Math.min(elementsPerLook, maxObjects)) return list;
    if (counted.objects <= maxObjects) return completeInSlices(list, counted.slice);
    if (before > maxObjects) return [];
    const message = `The response has more than ${maxObjects.toLocaleString('en-US')} objects in lists; request less at once.`;
    throw new GraphQLError(message, { extensions: { code: responseTooLarge } });
  }

  function withCount(resolve: GraphQLFieldResolver<unknown, object>): GraphQLFieldResolver<unknown, object> {
    return (source, args, context, info) => {
      const list = resolve(source, args, context, info);
      return list instanceof Promise ? list.then(loaded => count(loaded, context)) : count(list, context);
    };
  }

  return mapSchema(schema, {
    [MapperKind.OBJECT_FIELD]: field => {
      const isListOfObjects = isListType(getNullableType(field.type)) && isCompositeType(getNamedType(field.type));
      return isListOfObjects ? { ...field, resolve: withCount(field.resolve ?? defaultFieldResolver) } : field;
    },
  });
}

/** Elements of a list between two looks at the clock; without the lists in them, each takes the executor 10 µs and more. */
const elementsPerLook = 8;

/** Lets the executor complete a list in a later turn of the event loop if the slice of its request is over, and a long list in several. */
function completeInSlices(list: readonly unknown[], slice: TimeSlice): unknown {
  const completed = list.length > elementsPerLook ? inParts(list, slice) : list;
  return slice.isOver ? slice.yield().then(() => completed) : completed;
}

/**
 * The executor takes the next element when it has completed one, or awaits it if it is a promise: once the slice is over, the rest comes in
 * parts, each when the one before it is complete.
 */
function* inParts(list: readonly unknown[], slice: TimeSlice): Generator<unknown> {
  const goOn = () => (slice.isOver ? slice.yield() : undefined);
  let turn: Promise<void> | undefined;
  for (const [index, element] of list.entries()) {
    if (index % elementsPerLook === 0 && (turn || slice.isOver)) turn = (turn ?? Promise.resolve()).then(goOn);
    yield turn ? new LaterElement(turn, element) : element;
  }
}

/** An element that the executor takes for a promise; it costs less than one. */
class LaterElement {
  readonly #turn: Promise<void>;
  readonly #element: unknown;

  constructor(turn: Promise<void>, element: unknown) {
    this.#turn = turn;
    this.#element = element;
  }

  // biome-ignore lint/suspicious/noThenProperty: it is meant to be awaited
  then<Result>(complete: (element: unknown) => Result): Promise<Awaited<Result>> {
    return this.#turn.then(() => complete(this.#element)) as Promise<Awaited<Result>>;
  }
}
