import { ValidationErrors } from '@carte/base/validation';
import {
  type FieldNode,
  GraphQLBoolean,
  GraphQLFloat,
  type GraphQLInputType,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLScalarType,
  type GraphQLSchema,
  GraphQLString,
  getNamedType,
  getNullableType,
  isEnumType,
  isListType,
  isNonNullType,
} from 'graphql';
import { compileReader } from '../input/reader.ts';
import type { DeprecationExtension } from './deprecation.ts';
import { type Decimal, directiveAt, type ValueMapping } from './directives.ts';
import type { PathField } from './response.ts';
import type { Report } from './sources.ts';

/** The extensions of a field of the derived schema. */
export type FieldExtensions = DeprecationExtension & {
  /** The field of the graph that it is; undefined for a constant and a group. */
  readonly source?: PathField;
  /** The value in place of null. */
  readonly default?: unknown;
  /** The value of a field that the graph does not have. */
  readonly constant?: string;
  /** The key that the operation selects it as, where the body has another. */
  readonly key?: string;
  /** Whether it is an object of fields that the graph has beside it. */
  readonly isGroup?: boolean;
  /** The values of callers in place of those of the graph. */
  readonly values?: readonly ValueMapping[];
  readonly decimal?: Decimal;
  /** The field of an object that stands for it. */
  readonly only?: { readonly type: GraphQLObjectType; readonly field: string };
  /** The length of its JSON beyond which it is left out. */
  readonly maxBytes?: number;
};

/** Integers in the smallest unit of a currency. */
export const isAmount = (name: string): boolean => name === 'SafeInt' || name === 'Int';

/** The scalar of the values of callers; undefined if they are of several kinds. */
export function kindOfValues(map: readonly { readonly as: unknown }[]): GraphQLScalarType | undefined {
  const has = (isOfKind: (value: unknown) => boolean) => map.every(mapping => isOfKind(mapping.as));
  if (has(value => typeof value === 'string')) return GraphQLString;
  if (has(Number.isSafeInteger)) return GraphQLInt;
  return has(value => typeof value === 'boolean') ? GraphQLBoolean : undefined;
}

/** Reports what is wrong with the values of a request in place of those of a type of the graph; returns their scalar. */
export function checkValues(
  values: readonly ValueMapping[],
  graph: GraphQLInputType,
  report: (message: string) => void,
): GraphQLScalarType | undefined {
  const kind = kindOfValues(values);
  if (!kind) report('The values of @values are strings, integers or booleans, all of one kind.');
  if (new Set(values.map(({ as }) => as)).size < values.length) report('@values has a value twice; remove one.');
  const reader = compileReader(graph);
  for (const { of } of values) {
    const errors = new ValidationErrors();
    reader.read(of, [], errors);
    for (const { msg } of errors.list) report(`@values maps to ${JSON.stringify(of)}, which is no ${graph}: ${msg}.`);
  }
  return kind;
}

/** The type of a field with `@values` or `@decimal`, and what its renderer needs of them; undefined without either. */
export function mappedType(
  schema: GraphQLSchema,
  type: GraphQLOutputType,
  node: FieldNode,
  { report, events }: { readonly report: Report; readonly events: readonly string[] | undefined },
) {
  const values = directiveAt(schema, 'values', node)?.map;
  const decimal = directiveAt(schema, 'decimal', node);
  const named = getNamedType(type);
  const mapping: Pick<FieldExtensions, 'values' | 'decimal'> = {};
  const withLeaf = (leaf: GraphQLScalarType) => replaceNamed(type, new GraphQLNonNull(leaf));
  if (values && decimal) report('A field has either @values or @decimal; remove one of them.', node);
  if (decimal) {
    if (!isAmount(named.name))
      report(`@decimal needs an amount, which is an integer; "${node.name.value}" is ${type}.`, node);
    if (decimal.digits < 0 || decimal.digits > 6) report('The digits of @decimal are 0 to 6.', node);
    return { ...mapping, decimal, type: withLeaf(decimal.isText ? GraphQLString : GraphQLFloat) };
  }
  if (!values) return undefined;
  const all = isEnumType(named)
    ? named.getValues().map(({ name }) => name)
    : named.name === 'Boolean'
      ? [true, false]
      : [];
  if (all.length === 0) report(`@values needs an enum or a boolean; "${node.name.value}" is ${type}.`, node);
  // A message is never of others.
  const isPossible = (value: unknown) =>
    !events ||
    !isEnumType(named) ||
    !named.getValues().some(({ name }) => events.includes(name)) ||
    events.includes(String(value));
  const missing = all.filter(value => isPossible(value) && values.every(({ of }) => of !== value));
  if (missing.length > 0)
    report(`@values has nothing for ${missing.join(', ')}; add { of: ${missing[0]}, as: "…" }.`, node);
  const unknown = all.length > 0 ? values.filter(({ of }) => !all.some(value => value === of)) : [];
  for (const { of } of unknown)
    report(`${JSON.stringify(of)} is not a value of ${named}, only ${all.join(', ')}.`, node);
  const scalar = kindOfValues(values);
  if (!scalar) report('The values of @values are strings, integers or booleans, all of one kind.', node);
  return { ...mapping, values, type: withLeaf(scalar ?? GraphQLString) };
}

/** The same type of another one; null where either is. */
export function replaceNamed(type: GraphQLOutputType, other: GraphQLOutputType): GraphQLOutputType {
  if (isNonNullType(type)) {
    const replaced = getNullableType(replaceNamed(type.ofType, other));
    return isListType(type.ofType) || isNonNullType(other) ? new GraphQLNonNull(replaced) : replaced;
  }
  return isListType(type) ? new GraphQLList(replaceNamed(type.ofType, other)) : getNullableType(other);
}

/** Writes leaves of a field as JSON of callers; undefined where they are those of the graph. */
export function compileLeaf({ values, decimal }: FieldExtensions): ((value: unknown) => string) | undefined {
  if (decimal) {
    const { digits, isText } = decimal;
    return value => (isText ? `"${toDecimal(Number(value), digits)}"` : toDecimal(Number(value), digits));
  }
  if (!values) return undefined;
  const written = new Map(values.map(({ of, as }) => [of, JSON.stringify(as)]));
  return value => {
    const json = written.get(value);
    if (json === undefined) throw new Error(`@values has nothing for ${value}`);
    return json;
  };
}

function toDecimal(units: number, digits: number): string {
  const text = String(Math.abs(units)).padStart(digits + 1, '0');
  const sign = units < 0 ? '-' : '';
  return digits === 0 ? `${sign}${text}` : `${sign}${text.slice(0, -digits)}.${text.slice(-digits)}`;
}
