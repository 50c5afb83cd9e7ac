import type { ErrorPath } from '@carte/base/validation';
import { type GraphQLInputType, getNullableType, isInputObjectType, isListType } from 'graphql';

/** Converts a name of the graph to its name in a route: `addressLine1` → `address_line_1`. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]|\d+/g, part => `_${part.toLowerCase()}`);
}

/** Converts a path within an input type to the names of routes; indexes and the keys of maps stay as they are. */
export function toSnakePath(type: GraphQLInputType, path: ErrorPath): ErrorPath {
  let current: GraphQLInputType | undefined = type;
  return path.map(key => {
    const parent: GraphQLInputType | undefined = current && getNullableType(current);
    current = isListType(parent) ? parent.ofType : undefined;
    if (!isInputObjectType(parent)) return key;
    current = parent.getFields()[key]?.type;
    return snakeCase(String(key));
  });
}

/** Converts a value of an input type to the names of routes: the inverse of reading a body. Null and absent values are left out. */
export function toSnakeValue(type: GraphQLInputType, value: unknown): unknown {
  if (value === null || value === undefined) return value;
  const inputType = getNullableType(type);
  if (isListType(inputType))
    return (value as readonly unknown[]).map(element => toSnakeValue(inputType.ofType, element));
  if (!isInputObjectType(inputType)) return value;
  const object = value as Readonly<Record<string, unknown>>;
  const present = Object.values(inputType.getFields()).filter(({ name }) => (object[name] ?? null) !== null);
  return Object.fromEntries(present.map(({ name, type }) => [snakeCase(name), toSnakeValue(type, object[name])]));
}
