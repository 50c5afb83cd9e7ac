import {
  DangerousChangeType,
  findBreakingChanges,
  findDangerousChanges,
  type GraphQLSchema,
  isInputObjectType,
  isIntrospectionType,
  isObjectType,
} from 'graphql';
import { type Contract, type Operation, rootFieldOf } from './contract.ts';
import { unknownFieldsIn } from './directives.ts';
import type { Parameter } from './parameters.ts';

/**
 * Compares two versions of a set: their routes and parameters, and the derived schemas with the types of their bodies. Returns what changes for
 * callers, in sentences.
 */
export function compareContracts(before: Contract, after: Contract) {
  const next = new Map(after.operations.map(operation => [operation.name, operation]));
  const known = new Set(before.operations.map(({ name }) => name));
  const routes = before.operations.flatMap(old => compareOperations(old, next.get(old.name)));
  const messages = before.messages.flatMap(old => {
    const now = after.messages.find(({ name }) => name === old.name);
    const missing = now ? old.events.filter(event => !now.events.includes(event)) : [];
    return missing.map(event => `${old.name} is no longer the message of ${event}.`);
  });
  const dangerous = findDangerousChanges(before.schema, after.schema);
  const closed = unknownFieldsIn(before.info) === 'ignore' && unknownFieldsIn(after.info) === 'forbid';
  const describe = ({ description }: { readonly description: string }) => inRestTerms(description);
  return {
    breaking: [
      ...(closed ? ['Unknown fields of JSON bodies were ignored, and are 422.'] : []),
      ...routes,
      ...messages,
      ...compareMappings(before, after),
      ...findBreakingChanges(before.schema, after.schema).map(describe),
    ],
    // Breaks only callers that assume more than the contract says, e.g. that an enum has no further values.
    dangerous: dangerous.filter(({ type }) => !optional.has(type)).map(describe),
    safe: [
      ...after.operations.filter(({ name }) => !known.has(name)).map(operation => `${titleOf(operation)} is new.`),
      ...dangerous.filter(({ type }) => optional.has(type)).map(describe),
      ...additions(before.schema, after.schema),
    ],
  };
}

/** A request without them means the same as before. */
const optional = new Set<string>([
  DangerousChangeType.OPTIONAL_ARG_ADDED,
  DangerousChangeType.OPTIONAL_INPUT_FIELD_ADDED,
]);

const titleOf = ({ name, route: { method, path } }: Operation) => `${name} (${method} ${path})`;

/** In the derived schema an operation is a root field, and its parameters are arguments. */
const inRestTerms = (description: string) =>
  description.replace(/\b(?:Query|Mutation|Subscription)\.(\w+)/g, '$1').replace(/\b(arg|argument)\b/g, 'parameter');

/** What graphql-js does not compare, since the derived schema does not have it. */
function compareOperations(old: Operation, next: Operation | undefined): string[] {
  if (!next) return [];
  const changes: string[] = [];
  if (titleOf(old) !== titleOf(next)) changes.push(`${titleOf(old)} is now ${titleOf(next)}.`);
  if (old.etagPaths.length > 0 && next.etagPaths.length === 0 && old.route.method !== 'GET') {
    changes.push(`${old.name} no longer responds with an ETag.`);
  }
  for (const parameter of next.parameters) {
    const before = old.parameters.find(({ name }) => name === parameter.name);
    if (before) changes.push(...compareParameters(`${old.name}: ${parameter.name}`, before, parameter));
  }
  return changes;
}

function compareParameters(title: string, old: Parameter, next: Parameter): string[] {
  const changes: string[] = [];
  const [from, to] = [old, next].map(parameter => parameter.loc.join(' '));
  if (from !== to) changes.push(`${title} was in the ${from}, and is in the ${to}.`);
  const { max = Number.POSITIVE_INFINITY, min = Number.NEGATIVE_INFINITY } = next;
  if (max < (old.max ?? Number.POSITIVE_INFINITY)) changes.push(`${title} is now at most ${max}.`);
  if (min > (old.min ?? Number.NEGATIVE_INFINITY)) changes.push(`${title} is now at least ${min}.`);
  return changes;
}

/** What callers send, and get, with other meanings or values under the same names. */
function compareMappings(before: Contract, after: Contract): string[] {
  const next = new Map(mappingsOf(after));
  return mappingsOf(before).flatMap(([name, old]) => {
    const now = next.get(name);
    if (now === undefined || now === old) return [];
    return [`${name} is mapped by ${now || 'its name'}; it was by ${old || 'its name'}.`];
  });
}

/** How each field of bodies is mapped to the graph. */
function mappingsOf(contract: Contract): [string, string][] {
  const { schema, operations } = contract;
  const describe = (extensions: Readonly<Record<string, unknown>>): string => {
    const { mapping, values, decimal } = extensions;
    if (typeof mapping === 'string') return mapping;
    return [values, decimal].flatMap(each => (each === undefined ? [] : [JSON.stringify(each)])).join(' ');
  };
  const roots = new Set<unknown>([schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]);
  const ofTypes = Object.values(schema.getTypeMap()).flatMap(type => {
    if (!(isObjectType(type) || isInputObjectType(type)) || isIntrospectionType(type) || roots.has(type)) return [];
    const fields = Object.values(type.getFields()).map(field => [
      `${type.name}.${field.name}`,
      describe(field.extensions),
    ]);
    return [[type.name, describe(type.extensions)], ...fields] as [string, string][];
  });
  const ofBodies = operations.flatMap(operation => {
    const { args } = rootFieldOf(contract, operation);
    return args.map(({ name, extensions }): [string, string] => [`${operation.name}: ${name}`, describe(extensions)]);
  });
  return [...ofTypes, ...ofBodies];
}

/** Fields of response bodies, which a caller may ignore. */
function additions(before: GraphQLSchema, after: GraphQLSchema): string[] {
  const roots = new Set<unknown>([after.getQueryType(), after.getMutationType(), after.getSubscriptionType()]);
  return Object.values(after.getTypeMap()).flatMap(type => {
    const old = before.getType(type.name);
    if (!isObjectType(type) || !isObjectType(old) || isIntrospectionType(type) || roots.has(type)) return [];
    const known = old.getFields();
    const added = Object.keys(type.getFields()).filter(name => !known[name]);
    return added.map(name => `${type.name}.${name} is new.`);
  });
}
