import {
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNullableType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import type { FieldExtensions } from './contract/outputs.ts';

type Result = Record<string, unknown>;
/** Brings a fresh result of the graph into the shape of a body, in place. */
type Mend = (value: unknown) => void;

/**
 * Compiles a derived type into what makes a body of the graph's result: optional fields without a value are left out,
 * defaults and constants put in. Free-form values are not looked into, so nulls in them stay.
 */
export function compileShape(type: GraphQLOutputType): (value: unknown) => unknown {
  const mend = compileMend(type, new Map());
  const outer = getNullableType(type);
  if (!isObjectType(outer)) {
    return value => {
      mend?.(value);
      return value;
    };
  }
  const fields = Object.values(outer.getFields()).map(field => ({
    name: field.name,
    constant: extensionsOf(field).constant,
  }));
  return value => {
    mend?.(value);
    // Anew, so that constants stand in their places and what is not of the body is gone.
    const result = isResult(value) ? value : {};
    return Object.fromEntries(fields.map(({ name, constant }) => [name, constant ?? result[name]]));
  };
}

function compileMend(type: GraphQLOutputType, known: Map<GraphQLObjectType, Mend>): Mend | undefined {
  if (isNonNullType(type)) return compileMend(type.ofType, known);
  if (isListType(type)) {
    const mendItem = compileMend(type.ofType, known);
    return mendItem && (value => void (Array.isArray(value) && value.forEach(mendItem)));
  }
  return isObjectType(type) ? (known.get(type) ?? compileObject(type, known)) : undefined;
}

function compileObject(type: GraphQLObjectType, known: Map<GraphQLObjectType, Mend>): Mend {
  const fields = Object.values(type.getFields());
  const replaced = fields
    .map(field => ({ name: field.name, default: extensionsOf(field).default, type: field.type }))
    .filter(field => field.default !== undefined || !isNonNullType(field.type));
  const nested = fields.flatMap(field => {
    const mend = compileMend(field.type, known);
    return mend ? [{ name: field.name, mend }] : [];
  });
  const mendObject: Mend = value => {
    if (!isResult(value)) return;
    for (const field of nested) field.mend(value[field.name]);
    // JSON leaves out what is undefined.
    for (const field of replaced) value[field.name] ??= field.default;
  };
  known.set(type, mendObject);
  return mendObject;
}

const isResult = (value: unknown): value is Result => typeof value === 'object' && value !== null;

function extensionsOf({ extensions }: { readonly extensions: object }): FieldExtensions {
  return extensions;
}
