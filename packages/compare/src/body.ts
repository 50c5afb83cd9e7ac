import { parseDateTime } from '@carte/base/datetime';
import { isObject } from '@carte/base/json';
import type { FieldExtensions } from '@carte/operations/contract/mapped-values';
import type { TypeExtensions } from '@carte/operations/contract/outputs';
import { snakeCase } from '@carte/operations/input/names';
import {
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNullableType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import {
  at,
  type Compare,
  compareById,
  compareJson,
  compareOrdered,
  compareUnordered,
  compareValues,
  difference,
  type Identity,
  idOf,
  keysOf,
  ownValue,
  within,
} from './values.ts';

/** Whether to compare what the interface leaves unspecified. */
export interface Strictness {
  /** The numeric ids that a service assigns to menus, categories, items and modifiers. */
  readonly ids: boolean;
  /** The order of lists whose order guests do not see. */
  readonly order: boolean;
}

/** An entity has an id of the service or, in a menu configuration, an external id of its store. */
export function identityOf(type: GraphQLOutputType): Identity | undefined {
  const named = getNullableType(type);
  if (!isObjectType(named)) return undefined;
  const { graphType = named.name }: TypeExtensions = named.extensions;
  const fields = named.getFields();
  if (String(fields.id?.type) === 'ID!') return { field: 'id', type: graphType, local: false };
  const externalId = snakeCase('externalId');
  return String(fields[externalId]?.type) === 'String!'
    ? { field: externalId, type: graphType, local: true }
    : undefined;
}

/** Compiles a type of the contract into a comparison by the rules of docs/migrating.md. */
export function compileComparison(bodyType: GraphQLOutputType, { ids, order }: Strictness): Compare {
  const compiled = new Map<GraphQLObjectType, Compare>();

  /** `inEntity` says whether the type is nested in an entity. */
  function compileType(type: GraphQLOutputType, inEntity: boolean): Compare {
    if (isNonNullType(type)) return compileType(type.ofType, inEntity);
    if (isListType(type)) return compileList(type.ofType, inEntity);
    if (isObjectType(type)) return compiled.get(type) ?? compileObject(type, inEntity);
    return type.toString() === 'DateTime' ? compareDateTimes : compareJson;
  }

  function compileList(elementType: GraphQLOutputType, inEntity: boolean): Compare {
    const identity = identityOf(elementType);
    const compareElement = compileType(elementType, inEntity);
    const bare = getNullableType(elementType);
    const isUnordered = !order && (isEnumType(bare) || isObjectType(bare));
    const compareElements = isUnordered ? compareUnordered(compareElement) : compareOrdered(compareElement);
    const compareLists = identity
      ? compareById(compareElement, identity, order || (inEntity && identity.local))
      : compareElements;
    return (before, after) =>
      Array.isArray(before) && Array.isArray(after) ? compareLists(before, after) : compareValues(before, after);
  }

  function compileObject(type: GraphQLObjectType, inEntity: boolean): Compare {
    const identity = identityOf(type);
    const documented = type.getFields();
    const isNested = inEntity || identity !== undefined;
    const comparisons: [string, Compare][] = [];
    const compareFields: Compare = function* (before, after) {
      if (!isObject(before) || !isObject(after)) return yield* compareValues(before, after);
      for (const [name, compare] of comparisons) yield* at(name, compare(before[name], after[name]));
      // Clients may rely on undocumented fields.
      for (const name of keysOf(before, after)) {
        if (!Object.hasOwn(documented, name))
          yield* at(name, compareOptional(ownValue(before, name), ownValue(after, name)));
      }
    };
    const compareObject: Compare = (before, after) => {
      const id = identity && idOf(before, identity);
      if (!identity || id === undefined) return compareFields(before, after);
      const other = idOf(after, identity);
      // The fields of different entities are not compared.
      if (other !== id) return at(identity.field, compareValues(id, other));
      return within({ type: identity.type, local: identity.local, id }, compareFields(before, after));
    };
    compiled.set(type, compareObject);
    for (const field of Object.values(documented)) comparisons.push([field.name, compileField(field, isNested)]);
    return compareObject;
  }

  /** Null equals absent; for an optional field so do the empty list and the constant that the contract gives it. */
  function compileField({ name, type, extensions }: GraphQLField<unknown, unknown>, inEntity: boolean): Compare {
    const compare =
      name === 'id' && getNullableType(type).toString() === 'SafeInt' && !ids
        ? compareTypes
        : compileType(type, inEntity);
    const { constant }: FieldExtensions = extensions;
    const optional = !isNonNullType(type);
    const defaultValue = optional ? (constant ?? (isListType(type) ? [] : undefined)) : undefined;
    return optionally(compare, defaultValue);
  }

  return compileType(bodyType, false);
}

function optionally(compare: Compare, defaultValue: unknown): Compare {
  return (before, after) => {
    const [oldValue, newValue] = [before ?? defaultValue, after ?? defaultValue];
    if (oldValue === undefined && newValue === undefined) return [];
    if (oldValue !== undefined && newValue !== undefined) return compare(oldValue, newValue);
    return [difference('shape', before ?? undefined, after ?? undefined)];
  };
}

const compareOptional = optionally(compareJson, undefined);

const compareTypes: Compare = (before, after) => (typeof before === typeof after ? [] : compareValues(before, after));

const compareDateTimes: Compare = (before, after) => {
  const [oldTime, newTime] = [before, after].map(value => typeof value === 'string' && parseDateTime(value)?.getTime());
  return typeof oldTime === 'number' && oldTime === newTime ? [] : compareValues(before, after);
};
