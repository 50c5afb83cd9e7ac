import type { ErrorPath } from '@carte/base/validation';
import {
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  getNullableType,
  isInputObjectType,
  isListType,
  Kind,
} from 'graphql';

/** Converts a name of the graph to its name in a route: `addressLine1` → `address_line_1`. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]|\d+/g, part => `_${part.toLowerCase()}`);
}

/** The inverse, as far as there is one. */
export const camelCase = (name: string): string => name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());

export type BodyField = GraphQLInputField & { readonly bodyName: string };

/** Whether an input type is that of a set, whose names are those of bodies. */
export const isOwnType = ({ extensions }: Pick<GraphQLInputObjectType, 'extensions'>): boolean =>
  extensions.isOwn === true;

/** The fields of an input type in bodies, by `@nameInBodies`; those that are deprecated are for callers of the graph alone. */
export function bodyFieldsOf(type: GraphQLInputObjectType): BodyField[] {
  if (isOwnType(type)) return Object.values(type.getFields()).map(field => ({ ...field, bodyName: field.name }));
  const current = Object.values(type.getFields()).filter(({ deprecationReason }) => deprecationReason == null);
  return current.map(field => {
    const directive = field.astNode?.directives?.find(({ name }) => name.value === 'nameInBodies');
    const name = directive?.arguments?.find(argument => argument.name.value === 'name')?.value;
    return { ...field, bodyName: name?.kind === Kind.STRING ? name.value : snakeCase(field.name) };
  });
}

/** Converts a path within an input type to the names of routes; indexes and the keys of maps stay as they are. */
export function toSnakePath(type: GraphQLInputType, path: ErrorPath): ErrorPath {
  let current: GraphQLInputType | undefined = type;
  return path.map(key => {
    const parent: GraphQLInputType | undefined = current && getNullableType(current);
    current = isListType(parent) ? parent.ofType : undefined;
    if (!isInputObjectType(parent)) return key;
    current = parent.getFields()[key]?.type;
    return bodyFieldsOf(parent).find(({ name }) => name === key)?.bodyName ?? snakeCase(String(key));
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
  const present = bodyFieldsOf(inputType).filter(({ name }) => (object[name] ?? null) !== null);
  return Object.fromEntries(present.map(({ name, bodyName, type }) => [bodyName, toSnakeValue(type, object[name])]));
}
