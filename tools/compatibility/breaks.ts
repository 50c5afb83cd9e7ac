import { compareContracts } from '@carte/operations/contract/changes';
import { type Operation, readContract } from '@carte/operations/contract/contract';
import { createSet } from '@carte/operations/contract/folders';
import { ContractError, unlimited } from '@carte/operations/contract/sources';
import {
  buildSchema,
  DangerousChangeType,
  findBreakingChanges,
  findDangerousChanges,
  type GraphQLField,
  type GraphQLSchema,
  isInputObjectType,
  isIntrospectionType,
  isObjectType,
  isRequiredInputField,
} from 'graphql';
import { authorizeRootFields, permissionsIn, readReadable } from '../../src/graphql/authorization.ts';
import { toPublicSchema } from '../../src/graphql/public-schema.ts';
import { directivesFile, graphFile, isSetFile, namesFile, type Promises } from './promises.ts';

/** Finds what was promised and no longer holds, in sentences. What is added, e.g. a value of an enum, breaks no promise. */
export function findBreaks(released: Promises, current: Promises): string[] {
  const [old, next] = [readGraph(released), readGraph(current)];
  return [
    ...label('graph', new Set([...compareGraphs(old, next), ...compareFaces(old, next)])),
    ...label('directives', compareShapes(readDirectives(released), readDirectives(current))),
    ...Object.keys(released)
      .filter(isSetFile)
      .flatMap(file => label(file, compareSets(file, { released, current, old, next }))),
    ...label('names', compareNames(released[namesFile], current[namesFile])),
  ];
}

const label = (subject: string, breaks: Iterable<string>) => Array.from(breaks, text => `${subject}: ${text}`);

/** With the permissions of its fields. */
function readGraph({ [graphFile]: text = '' }: Promises): GraphQLSchema {
  const graph = buildSchema(text, { assumeValid: true });
  authorizeRootFields(graph);
  readReadable(graph);
  return graph;
}

const readDirectives = ({ [directivesFile]: text = '' }: Promises) => buildSchema(`type Query { id: ID } ${text}`);

function* compareGraphs(old: GraphQLSchema, next: GraphQLSchema): Generator<string> {
  yield* compareShapes(old, next);
  for (const type of Object.values(next.getTypeMap())) {
    const known = old.getType(type.name);
    if (!isObjectType(type) || !isObjectType(known) || isIntrospectionType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      const before = known.getFields()[field.name];
      if (before) yield* compareReaders(`${type.name}.${field.name}`, readersOf(before), readersOf(field));
    }
  }
}

/** What /graphql no longer has, although operations of sets may still select it. */
const compareFaces = (old: GraphQLSchema, next: GraphQLSchema) =>
  compareShapes(toPublicSchema(old), toPublicSchema(next));

function* compareShapes(old: GraphQLSchema, next: GraphQLSchema): Generator<string> {
  for (const { description } of findBreakingChanges(old, next)) yield description;
  for (const { type, description } of findDangerousChanges(old, next)) {
    if (type === DangerousChangeType.ARG_DEFAULT_VALUE_CHANGE) yield description;
  }
  for (const type of Object.values(next.getTypeMap())) {
    const known = old.getType(type.name);
    if (!isInputObjectType(type) || !isInputObjectType(known)) continue;
    for (const field of Object.values(type.getFields())) {
      const before = known.getFields()[field.name];
      if (!before || isRequiredInputField(before) || isRequiredInputField(field)) continue;
      const [was, is] = [before, field].map(({ defaultValue = null }) => JSON.stringify(defaultValue));
      if (was !== is) yield `${type.name}.${field.name} has changed defaultValue from ${was} to ${is}.`;
    }
  }
}

interface Readers {
  readonly permission: unknown;
  readonly byGuests: boolean;
}

function readersOf({ extensions }: GraphQLField<unknown, unknown>): Readers {
  const { with: permission, byGuests } = extensions.readable as { readonly with?: string; readonly byGuests: boolean };
  return { permission: extensions.permission ?? permission, byGuests };
}

function* compareReaders(title: string, old: Readers, next: Readers): Generator<string> {
  if (next.permission && next.permission !== old.permission)
    yield `${title} needs ${next.permission}, which it did not.`;
  if (old.byGuests && !next.byGuests) yield `${title} is no longer for publishable keys.`;
}

interface Versions {
  readonly released: Promises;
  readonly current: Promises;
  readonly old: GraphQLSchema;
  readonly next: GraphQLSchema;
}

/** Both with the graph of today, unless that no longer has what the released operations select. */
function compareSets(file: string, { released, current, old, next }: Versions): readonly string[] {
  const read = (graph: GraphQLSchema, { [file]: text = '' }: Promises) =>
    readContract(graph, createSet('set', [{ path: `released/${file}`, text }]), unlimited, []);
  const readReleased = (graph: GraphQLSchema) => ({ graph, contract: read(graph, released) });
  try {
    const after = read(next, current);
    const before = attempt(() => readReleased(next)) ?? readReleased(old);
    const permissionsOf = (operation: Operation) =>
      permissionsIn(before.contract.operations.includes(operation) ? before.graph : next)(operation);
    return compareContracts(before.contract, after, permissionsOf).breaking;
  } catch (error) {
    if (error instanceof ContractError) return error.descriptions;
    throw error;
  }
}

function attempt<T>(task: () => T): T | undefined {
  try {
    return task();
  } catch {
    return undefined;
  }
}

function compareNames(released = '', current = ''): string[] {
  const names = new Set(current.split('\n'));
  return released.split('\n').flatMap(name => (names.has(name) ? [] : [`the ${name} is gone.`]));
}
