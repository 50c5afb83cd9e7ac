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

export const responseTooLarge = 'RESPONSE_TOO_LARGE';

/** Objects in the lists of responses, by the context value of the execution. */
export type ObjectCounts = WeakMap<object, { objects: number }>;

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
    const counted = counts.get(context) ?? { objects: 0 };
    if (counted.objects === 0) counts.set(context, counted);
    const before = counted.objects;
    counted.objects += list.length;
    if (counted.objects <= maxObjects) return list;
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

/** Serializes a response; one with few objects may still exceed V8's longest string (512 MB). */
export function stringifyResponse(response: object): string {
  try {
    return `${JSON.stringify(response)}\n`;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const message = 'The response is longer than can be sent; request less at once.';
    return `${JSON.stringify({ errors: [{ message, extensions: { code: responseTooLarge } }] })}\n`;
  }
}
