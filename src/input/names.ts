import { type GraphQLInputType, getNullableType, isInputObjectType, isListType } from 'graphql';
import type { ErrorPath } from './validation-errors.ts';

/** `addressLine1` → `address_line_1`: the name that `/v1` gives to an input field of the graph. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]|\d+/g, part => `_${part.toLowerCase()}`);
}

/** A place along an input type, from the graph's names to those of `/v1`. Indexes and the keys of free maps stay. */
export function toSnakePath(type: GraphQLInputType, path: ErrorPath): ErrorPath {
  let current: GraphQLInputType | undefined = type;
  return path.map(key => {
    const here: GraphQLInputType | undefined = current && getNullableType(current);
    current = isListType(here) ? here.ofType : undefined;
    if (!isInputObjectType(here)) return key;
    current = here.getFields()[key]?.type;
    return snakeCase(String(key));
  });
}
