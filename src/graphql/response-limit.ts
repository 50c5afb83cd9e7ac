import { TimeSlice } from '@carte/base/time-slice';
import {
  defaultFieldResolver,
  GraphQLError,
  type GraphQLFieldResolver,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isCompositeType,
  isIntrospectionType,
  isListType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql';

export const responseTooLarge = 'RESPONSE_TOO_LARGE';

/** The part of a context value that limits an execution. */
interface LimitedContext {
  readonly maxObjects?: number | undefined;
}

/** By the context value of the execution. */
const counts = new WeakMap<LimitedContext, ListCompletion>();

export const countedObjects = (context: LimitedContext): number => counts.get(context)?.objects ?? 0;

/**
 * Has the fields of a schema limit the objects in the lists of a response to `maxObjects` of the context. Query cost assumes list sizes, and a menu may
 * be far denser than assumed: a hundred groups of a hundred modifier items, each standing for the item that offers them, make 10^12 objects in nine
 * levels. Beyond the limit one field fails and all later lists are empty, so that the response has one such error; its data is of no use.
 */
export function limitListObjects(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || isIntrospectionType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      if (!isListType(getNullableType(field.type)) || !isCompositeType(getNamedType(field.type))) continue;
      const { resolve = defaultFieldResolver } = field;
      field.resolve = withCount(resolve);
      // For compiled operations, which count what they render.
      field.extensions = { ...field.extensions, unlimited: resolve };
    }
  }
}

type Resolver = GraphQLFieldResolver<unknown, LimitedContext>;

function withCount(resolve: Resolver): Resolver {
  return (source, args, context, info) => {
    const list = resolve(source, args, context, info);
    if (context.maxObjects === undefined) return list;
    const { maxObjects } = context;
    return list instanceof Promise
      ? list.then(loaded => count(loaded, maxObjects, context, info))
      : count(list, maxObjects, context, info);
  };
}

function count(list: unknown, maxObjects: number, context: LimitedContext, info: GraphQLResolveInfo): unknown {
  if (!Array.isArray(list)) return list;
  const counted = counts.get(context) ?? new ListCompletion();
  if (counted.objects === 0) counts.set(context, counted);
  const before = counted.objects;
  counted.objects += list.length;
  if (counted.objects <= Math.min(fewObjects, maxObjects)) return list;
  if (counted.objects <= maxObjects) return counted.complete(list, list.length * countFields(info));
  if (before > maxObjects) return [];
  const message = `The response has more than ${maxObjects.toLocaleString('en-US')} objects in lists; request less at once.`;
  throw new GraphQLError(message, { extensions: { code: responseTooLarge } });
}

/** Up to this number of objects a response is not worth a look at the clock. */
const fewObjects = 8;

/** Fields of the elements of lists that are begun in one turn whatever the clock says, so that DataLoader batches what they load. */
const fieldsAtOnce = 1_000;

const fieldCounts = new WeakMap<SelectionSetNode, number>();

/** Counts the fields that are selected of each element of a list. */
function countFields({ fieldNodes, fragments }: GraphQLResolveInfo): number {
  const countIn = (set: SelectionSetNode): number => {
    const known = fieldCounts.get(set);
    if (known !== undefined) return known;
    let count = 0;
    for (const selection of set.selections) {
      const inner = selection.kind === Kind.FRAGMENT_SPREAD ? fragments[selection.name.value] : selection;
      if (selection.kind === Kind.FIELD) count++;
      else if (inner?.selectionSet) count += countIn(inner.selectionSet);
    }
    fieldCounts.set(set, count);
    return count;
  };
  let count = 0;
  for (const { selectionSet } of fieldNodes) if (selectionSet) count += countIn(selectionSet);
  return count;
}

/** Small lists that begin together: without waiting, or in a turn that is still to come. */
interface ListGroup {
  fields: number;
  begins?: Promise<void> | undefined;
}

/**
 * Lets the executor complete the lists of a response over several turns of the event loop. A list that is begun in a later turn waits for the one
 * before it: the executor makes promises for all elements of a list at once, and those of many lists would fill the memory.
 */
class ListCompletion {
  objects = 0;
  readonly #slice = new TimeSlice();
  /** Until all elements of the last list that takes several turns have been given to the executor. */
  #last: Promise<void> | undefined;
  #group: ListGroup = { fields: 0 };

  complete(list: readonly unknown[], fields: number): unknown {
    if (fields <= fieldsAtOnce) return this.#inGroup(list, fields);
    const isOver = this.#slice.isOver;
    if (!isOver && !this.#last) return this.#inParts(list);
    const { promise, resolve } = Promise.withResolvers<void>();
    const begun = this.#last ?? this.#slice.yield();
    this.#last = promise;
    return begun.then(() => this.#inParts(list, resolve));
  }

  #inGroup(list: readonly unknown[], fields: number): unknown {
    if (this.#group.fields + fields > fieldsAtOnce) {
      const group: ListGroup = { fields: 0 };
      if (this.#slice.isOver)
        group.begins = this.#slice.yield().then(() => {
          group.begins = undefined;
        });
      this.#group = group;
    }
    this.#group.fields += fields;
    return this.#group.begins ? this.#group.begins.then(() => list) : list;
  }

  /** The executor completes each element before it takes the next one; once the slice is over, the rest are promises. */
  *#inParts(list: readonly unknown[], end?: () => void): Generator<unknown> {
    let later: LaterElements | undefined;
    try {
      for (const element of list) {
        if (!later && this.#slice.isOver) later = new LaterElements();
        yield later ? later.add(element) : element;
      }
    } finally {
      // Also if an element fails and the executor takes no more of them.
      const completed = later?.complete(this.#slice);
      if (!end) this.#last = completed ?? this.#last;
      else if (completed) void completed.then(end);
      else end();
    }
  }
}

/** Elements that the executor takes for promises, which are resolved one after the other, in slices. */
class LaterElements {
  readonly #tasks: (() => void)[] = [];

  add(element: unknown): PromiseLike<unknown> {
    const tasks = this.#tasks;
    return {
      // biome-ignore lint/suspicious/noThenProperty: it is meant to be awaited, and costs less than a promise
      then: complete =>
        new Promise((resolve, reject) => {
          tasks.push(() => {
            try {
              resolve(complete?.(element) as never);
            } catch (error) {
              reject(error);
            }
          });
        }),
    };
  }

  async complete(slice: TimeSlice): Promise<void> {
    for (const complete of this.#tasks) {
      if (slice.isOver) await slice.yield();
      complete();
    }
  }
}
