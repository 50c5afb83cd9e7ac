import { isObject } from '@carte/base/json';
import { type GraphQLOutputType, isLeafType, isListType, isNonNullType, isObjectType } from 'graphql';

/** Finds what a value has that no body of a derived type has. */
export function* findMismatches(type: GraphQLOutputType, value: unknown, path: string): Generator<string> {
  if (isNonNullType(type)) {
    if (value === undefined) yield `${path} is missing`;
    else yield* findMismatches(type.ofType, value, path);
  } else if (value === undefined) return;
  else if (value === null) yield `${path} is null`;
  else if (isListType(type)) {
    if (!Array.isArray(value)) yield `${path} is not a list`;
    else
      for (const [index, element] of value.entries()) yield* findMismatches(type.ofType, element, `${path}.${index}`);
  } else if (isObjectType(type)) {
    const fields = type.getFields();
    if (!isObject(value)) return yield `${path} is not an object`;
    for (const name of Object.keys(value)) if (!fields[name]) yield `${path}.${name} is not a field of it`;
    for (const field of Object.values(fields))
      yield* findMismatches(field.type, value[field.name], `${path}.${field.name}`);
  } else if (isLeafType(type) && !isLeafValue(type, value)) yield `${path} is no ${type}`;
}

function isLeafValue(type: Extract<GraphQLOutputType, { parseValue: unknown }>, value: unknown): boolean {
  // As input, an ID may be a number.
  if (type.name === 'ID') return typeof value === 'string';
  try {
    type.parseValue(value);
    return true;
  } catch {
    return false;
  }
}
