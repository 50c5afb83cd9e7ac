import {
  type GraphQLField,
  GraphQLObjectType,
  type GraphQLOutputType,
  getNullableType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { parseDateTime } from '../input/datetime.ts';
import { snakeCase } from '../input/names.ts';
import type { FieldExtensions, TypeExtensions } from '../rest/contract/outputs.ts';
import { type Compare, compareFree, compareSequence, compareValues, isFields, valueAt } from './free.ts';
import { compareBag, compareThings, type Identity, idOf } from './lists.ts';

/** What counts although the interface leaves it open. */
export interface Strictness {
  /** The numbers that a service gives to the parts of a menu. */
  readonly ids: boolean;
  /** The order of lists in which it has no meaning for guests. */
  readonly order: boolean;
}

/** Compiles a documented type into what compares two bodies of it. docs/migrating.md says what counts as equal. */
export function compileComparison(type: GraphQLOutputType, strictness: Strictness): Compare {
  return compileType(type, { strictness, known: new Map(), inThing: false });
}

interface Compiling {
  readonly strictness: Strictness;
  readonly known: Map<GraphQLObjectType, Compare>;
  /** Whether the type stands within a thing that has an identifier. */
  readonly inThing: boolean;
}

/** By the service's own identifier or else, for the parts of a menu, by the one that the store gave. */
export function identityOf(type: GraphQLOutputType): Identity | undefined {
  const named = getNullableType(type);
  if (!isObjectType(named)) return undefined;
  const { graphType = named.name }: TypeExtensions = named.extensions;
  const fields = named.getFields();
  if (String(fields.id?.type) === 'ID!') return { field: 'id', type: graphType, local: false };
  const given = snakeCase('externalId');
  return String(fields[given]?.type) === 'String!' ? { field: given, type: graphType, local: true } : undefined;
}

function compileType(type: GraphQLOutputType, compiling: Compiling): Compare {
  if (isNonNullType(type)) return compileType(type.ofType, compiling);
  if (isListType(type)) return compileList(type.ofType, compiling);
  if (isObjectType(type)) return compiling.known.get(type) ?? compileObject(type, compiling);
  return type.toString() === 'DateTime' ? compareInstants : compareFree;
}

function compileList(elementType: GraphQLOutputType, compiling: Compiling): Compare {
  const identity = identityOf(elementType);
  const compareElement = compileType(elementType, compiling);
  const bare = getNullableType(elementType);
  const meaningless = !compiling.strictness.order && (isEnumType(bare) || bare instanceof GraphQLObjectType);
  const ordered = compiling.strictness.order || (compiling.inThing && identity?.local === true);
  const things = identity && compareThings(compareElement, identity, ordered);
  const values = meaningless ? compareBag(compareElement) : compareSequence.bind(undefined, compareElement);
  const compareLists = things ?? values;
  return (before, after, walk) => {
    if (Array.isArray(before) && Array.isArray(after)) compareLists(before, after, walk);
    else compareValues(before, after, walk);
  };
}

function compileObject(type: GraphQLObjectType, compiling: Compiling): Compare {
  const identity = identityOf(type);
  const own = type.getFields();
  const within = { ...compiling, inThing: compiling.inThing || identity !== undefined };
  const compareOwn: [string, Compare][] = [];
  const compareFields: Compare = (before, after, walk) => {
    if (!isFields(before) || !isFields(after)) return compareValues(before, after, walk);
    for (const [name, compare] of compareOwn) walk.at(name, () => compare(before[name], after[name], walk));
    // What the interface does not name may still be what a till relies on.
    for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
      if (!Object.hasOwn(own, name))
        walk.at(name, () => compareOptional(valueAt(before, name), valueAt(after, name), walk));
    }
  };
  const compareThing: Compare = (before, after, walk) => {
    const id = identity && idOf(before, identity);
    if (!identity || id === undefined) return compareFields(before, after, walk);
    const other = idOf(after, identity);
    // Of another thing in the same place only that much is said.
    if (other !== id) return walk.at(identity.field, () => compareValues(id, other, walk));
    walk.within({ type: identity.type, local: identity.local, id }, () => compareFields(before, after, walk));
  };
  compiling.known.set(type, compareThing);
  compareOwn.push(...Object.values(own).map((field): [string, Compare] => [field.name, compileField(field, within)]));
  return compareThing;
}

/** Null is absent; where a field may be absent, so is an empty list, and so is the value that the interface implies. */
function compileField({ name, type, extensions }: GraphQLField<unknown, unknown>, compiling: Compiling): Compare {
  const compare =
    name === 'id' && getNullableType(type).toString() === 'SafeInt' && !compiling.strictness.ids
      ? compareTypes
      : compileType(type, compiling);
  const { constant }: FieldExtensions = extensions;
  const optional = !isNonNullType(type);
  const implied = optional ? (constant ?? (isListType(type) ? [] : undefined)) : undefined;
  return optionally(compare, implied);
}

function optionally(compare: Compare, implied: unknown): Compare {
  return (before, after, walk) => {
    const [old, fresh] = [before ?? implied, after ?? implied];
    if (old === undefined && fresh === undefined) return;
    if (old === undefined || fresh === undefined) walk.report('shape', before ?? undefined, after ?? undefined);
    else compare(old, fresh, walk);
  };
}

const compareOptional = optionally(compareFree, undefined);

const compareTypes: Compare = (before, after, walk) => {
  if (typeof before !== typeof after) compareValues(before, after, walk);
};

const compareInstants: Compare = (before, after, walk) => {
  const [old, fresh] = [before, after].map(value => typeof value === 'string' && parseDateTime(value)?.getTime());
  if (typeof old !== 'number' || old !== fresh) compareValues(before, after, walk);
};
