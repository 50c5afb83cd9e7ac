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

const answerTooLarge = 'ANSWER_TOO_LARGE';

/**
 * A schema whose responses do not grow beyond so many objects in lists. The cost of a document is told from assumed lengths, and
 * a menu may be far denser than assumed: a hundred groups of a hundred modifier items, each standing for the item that offers
 * them, make 10^12 objects in nine levels. Once it is too much, lists are empty, so that an error does not come for each of them:
 * a response with this code has no use but for the error.
 */
export function boundLists(schema: GraphQLSchema, most: number): GraphQLSchema {
  const counts = new WeakMap<object, { objects: number }>();

  function count(list: unknown, context: object): unknown {
    if (!Array.isArray(list)) return list;
    const counted = counts.get(context) ?? { objects: 0 };
    if (counted.objects === 0) counts.set(context, counted);
    const before = counted.objects;
    counted.objects += list.length;
    if (counted.objects <= most) return list;
    if (before > most) return [];
    const message = `The answer has more than ${most.toLocaleString('en-US')} objects in lists; ask for less at once.`;
    throw new GraphQLError(message, { extensions: { code: answerTooLarge } });
  }

  return mapSchema(schema, {
    [MapperKind.OBJECT_FIELD]: field => {
      const isListOfObjects = isListType(getNullableType(field.type)) && isCompositeType(getNamedType(field.type));
      return isListOfObjects ? { ...field, resolve: counting(field.resolve ?? defaultFieldResolver, count) } : field;
    },
  });
}

/** An answer as text. Few objects may hold long texts: beyond 512 MB JavaScript has no string for them. */
export function stringifyAnswer(answer: object): string {
  try {
    return `${JSON.stringify(answer)}\n`;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const message = 'The answer is longer than can be sent; ask for less at once.';
    return `${JSON.stringify({ errors: [{ message, extensions: { code: answerTooLarge } }] })}\n`;
  }
}

function counting(
  resolve: GraphQLFieldResolver<unknown, object>,
  count: (list: unknown, context: object) => unknown,
): GraphQLFieldResolver<unknown, object> {
  return (source, args, context, info) => {
    const list = resolve(source, args, context, info);
    return list instanceof Promise ? list.then(loaded => count(loaded, context)) : count(list, context);
  };
}
