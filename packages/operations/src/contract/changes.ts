import {
  DangerousChangeType,
  findBreakingChanges,
  findDangerousChanges,
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  isIntrospectionType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { type BodyOperation, type Contract, type Operation, rootFieldOf, toolNameOf } from './contract.ts';
import { type DeprecationExtension, describeDeprecated, isPastSunset } from './deprecation.ts';
import { unknownFieldsIn, type ValueMapping } from './directives.ts';
import type { InputExtensions } from './inputs.ts';
import type { FieldExtensions } from './mapped-values.ts';
import { mappingOf, meaningOfBody, meaningOfField, presetOf, type Usage, usagesOf, variableForms } from './meanings.ts';
import type { Parameter } from './parameters.ts';

type Kind = 'breaking' | 'dangerous' | 'safe';
type Change = readonly [Kind, string];
type Version<Of = BodyOperation> = { readonly contract: Contract; readonly operation: Of };

/**
 * Compares two versions of a set: their routes, parameters and messages, the derived schemas with the types of their bodies, and what is behind each
 * name in the graph. Returns what changes for callers, in sentences. `permissionsOf` finds what a key needs for an operation; what is deprecated may be
 * removed once the day of its sunset has come.
 */
export function compareContracts(
  before: Contract,
  after: Contract,
  permissionsOf: (operation: Operation) => readonly string[] = () => [],
  now = new Date(),
): Readonly<Record<Kind, readonly string[]>> {
  const changes = [
    ...compareSets(before, after, { permissionsOf, now }),
    ...compareInputs(before.schema, after.schema),
    ...compareSchemas(before.schema, after.schema, now),
  ];
  // What several operations share is found in each of them.
  const only = (kind: Kind) => [...new Set(changes.flatMap(([found, change]) => (found === kind ? [change] : [])))];
  return { breaking: only('breaking'), dangerous: only('dangerous'), safe: only('safe') };
}

function* compareSets(
  before: Contract,
  after: Contract,
  { permissionsOf, now }: { readonly permissionsOf: (operation: Operation) => readonly string[]; readonly now: Date },
): Generator<Change> {
  const closed = unknownFieldsIn(before.info) === 'ignore' && unknownFieldsIn(after.info) === 'forbid';
  if (closed) yield ['breaking', 'Unknown fields of JSON bodies were ignored, and are 422.'];
  for (const operation of before.operations) {
    const next = after.operations.find(({ name }) => name === operation.name);
    const title = `${operation.name} (${addressOf(operation)})`;
    if (!next) {
      yield removed(title, operation, now);
      continue;
    }
    yield* compareDeprecations(title, operation, next);
    const [old, current] = [
      { contract: before, operation },
      { contract: after, operation: next },
    ];
    yield* compareRoutes(old, current);
    for (const permission of permissionsOf(next)) {
      if (!permissionsOf(operation).includes(permission))
        yield ['breaking', `${operation.name} needs a key with ${permission}, which it did not.`];
    }
    yield* compareBodies(old, current);
  }
  for (const operation of before.messages) {
    const next = after.messages.find(({ name }) => name === operation.name);
    if (!next) {
      yield removed(`The message ${operation.name}`, operation, now);
      continue;
    }
    yield* compareDeprecations(`The message ${operation.name}`, operation, next);
    const { name, events } = operation;
    for (const event of events.filter(each => !next.events.includes(each)))
      yield ['breaking', `${name} is no longer the message of ${event}.`];
    for (const event of next.events.filter(each => !events.includes(each)))
      yield ['safe', `${name} is the message of ${event}, too.`];
    yield* compareBodies({ contract: before, operation }, { contract: after, operation: next });
  }
  const isNew = ({ name }: BodyOperation) =>
    [...before.operations, ...before.messages].every(operation => operation.name !== name);
  for (const operation of after.operations.filter(isNew))
    yield ['safe', `${operation.name} (${addressOf(operation)}) is new.`];
  for (const { name } of after.messages.filter(isNew)) yield ['safe', `The message ${name} is new.`];
}

const addressOf = ({ route: { method, path } }: Operation) => `${method} ${path}`;

const changed = (title: string, old: string, now: string): Change => [
  'breaking',
  `${title} was ${old}, and is ${now}.`,
];

/** A removal breaks callers unless it was announced for a day that has come. */
function removed(title: string, { deprecation }: DeprecationExtension, now: Date): Change {
  if (!deprecation?.sunset) return ['breaking', `${title} was removed.`];
  if (isPastSunset(deprecation, now)) return ['safe', `${title} was removed, as announced for ${deprecation.sunset}.`];
  return ['breaking', `${title} was removed, before the announced ${deprecation.sunset}.`];
}

function* compareDeprecations(title: string, old: DeprecationExtension, next: DeprecationExtension): Generator<Change> {
  const [was, is] = [old.deprecation, next.deprecation];
  if (was && !is) yield ['safe', `${title} is no longer deprecated.`];
  if (is && !was) yield ['safe', `${title}: ${describeDeprecated(is, undefined)}`];
  if (!was?.sunset || !is?.sunset || was.sunset === is.sunset) return;
  const isEarlier = is.sunset < was.sunset;
  yield [isEarlier ? 'breaking' : 'safe', `${title} was to be removed on ${was.sunset}, and is on ${is.sunset}.`];
}

function* compareRoutes(old: Version<Operation>, now: Version<Operation>): Generator<Change> {
  const { name } = old.operation;
  const [from, to] = [old, now].map(({ operation }) => addressOf(operation));
  if (from !== to) yield changed(name, `${from}`, `${to}`);
  if (
    old.operation.etagPaths.length > 0 &&
    now.operation.etagPaths.length === 0 &&
    old.operation.route.method !== 'GET'
  ) {
    yield ['breaking', `${name} no longer responds with an ETag.`];
  }
  const [oldTool, tool] = [old, now].map(({ operation }) => operation.tool && toolNameOf(operation));
  if (oldTool !== undefined && tool === undefined) yield ['breaking', `${name} is no longer the tool ${oldTool}.`];
  else if (oldTool === undefined && tool !== undefined) yield ['safe', `${name} is the tool ${tool}, too.`];
  else if (oldTool !== tool) yield changed(`The tool of ${name}`, `${oldTool}`, `${tool}`);
  const usages = [old, now].map(({ contract, operation }) => usagesOf(contract, operation));
  for (const parameter of now.operation.parameters) {
    const before = old.operation.parameters.find(each => each.name === parameter.name);
    if (!before) continue;
    const title = `${name}: ${parameter.name}`;
    yield* compareParameters(title, before, parameter);
    yield* compareDeprecations(title, before, parameter);
    const [preset, next] = [old, now].map(({ contract, operation }) => presetOf(contract, operation, parameter.name));
    if (preset && next && preset.form !== next.form)
      yield changed(`${title}, if it is not given,`, preset.text, next.text);
    const [oldArgument, argument] = [old, now].map(({ contract, operation }) =>
      rootFieldOf(contract, operation).args.find(each => each.name === parameter.name),
    );
    if (oldArgument && argument) yield* compareRequired(title, oldArgument, argument);
    const [oldInput, input] = [oldArgument, argument].map((each): InputExtensions => each?.extensions ?? {});
    if (parameter.mapped || before.mapped) yield* compareMappings(parameter.name, title, [oldInput, input], usages);
    else yield* compareValues(title, oldInput?.values, input?.values, 'as');
  }
}

function* compareParameters(title: string, old: Parameter, next: Parameter): Generator<Change> {
  const [from, to] = [old, next].map(parameter => parameter.loc.join(' '));
  if (from !== to) yield changed(title, `in the ${from}`, `in the ${to}`);
  const { max = Number.POSITIVE_INFINITY, min = Number.NEGATIVE_INFINITY } = next;
  if (max < (old.max ?? Number.POSITIVE_INFINITY)) yield ['breaking', `${title} is now at most ${max}.`];
  if (min > (old.min ?? Number.NEGATIVE_INFINITY)) yield ['breaking', `${title} is now at least ${min}.`];
  for (const operation of old.etagsOf.filter(each => !next.etagsOf.includes(each)))
    yield ['breaking', `${title} no longer takes the ETag of ${operation}.`];
}

/** A default that is gone. What is required by its type is a change of that. */
function* compareRequired(
  title: string,
  old: GraphQLArgument | GraphQLInputField,
  next: typeof old,
): Generator<Change> {
  if (isNonNullType(old.type) && !isRequired(old) && isRequired(next))
    yield ['breaking', `${title} had a default, and is required.`];
}

const isRequired = ({ type, defaultValue }: GraphQLArgument | GraphQLInputField) =>
  isNonNullType(type) && defaultValue === undefined;

/** What is behind the names of a body. */
function* compareBodies(old: Version, now: Version): Generator<Change> {
  const [before, after] = variableForms(old.operation, now.operation);
  const [from, to] = [meaningOfBody(old.operation, before), meaningOfBody(now.operation, after)];
  if (from.form !== to.form) yield changed(`The body of ${now.operation.name}`, `"${from.text}"`, `"${to.text}"`);
  const seen = new Set<string>();
  const compareTypes = function* (oldType: GraphQLOutputType, type: GraphQLOutputType): Generator<Change> {
    const [oldObject, object] = [getNamedType(oldType), getNamedType(type)];
    // Another name is a change by itself.
    if (!isObjectType(oldObject) || !isObjectType(object) || oldObject.name !== object.name) return;
    if (seen.has(object.name)) return;
    seen.add(object.name);
    for (const field of Object.values(object.getFields())) {
      const known = oldObject.getFields()[field.name];
      if (!known) continue;
      yield* compareFields(`${object.name}.${field.name}`, known.extensions, field.extensions);
      yield* compareTypes(known.type, field.type);
    }
  };
  const compareFields = function* (title: string, known: FieldExtensions, next: FieldExtensions): Generator<Change> {
    yield* compareDeprecations(title, known, next);
    const [meant, means] = [meaningOfField(known, before), meaningOfField(next, after)];
    if (meant.form !== means.form) yield changed(title, meant.text, means.text);
    const { maxBytes = Number.POSITIVE_INFINITY } = next;
    if (maxBytes < (known.maxBytes ?? Number.POSITIVE_INFINITY))
      yield ['breaking', `${title} is now left out beyond ${maxBytes} bytes.`];
    yield* compareValues(title, known.values, next.values, 'of');
    const [oldDefault, preset] = [known, next].map(each => each.default !== undefined && JSON.stringify(each.default));
    if (oldDefault && preset && oldDefault !== preset)
      yield changed(`${title}, where the graph has nothing,`, oldDefault, preset);
    else if (preset && !oldDefault)
      yield ['dangerous', `${title}, where the graph has nothing, was absent, and is ${preset}.`];
  };
  yield* compareTypes(rootFieldOf(old.contract, old.operation).type, rootFieldOf(now.contract, now.operation).type);
}

/** The values of callers: in responses those of each value of the graph, and in requests what each of them stands for. */
function* compareValues(
  title: string,
  old: FieldExtensions['values'],
  next: FieldExtensions['values'],
  by: keyof ValueMapping,
): Generator<Change> {
  const other = by === 'of' ? 'as' : 'of';
  // Without a mapping, those of the graph.
  const asGraph = (values: FieldExtensions['values'] = []) => values.map(({ of }) => ({ of, as: of }));
  const [before, after] = [old ?? asGraph(next), next ?? asGraph(old)];
  const now = new Map(after.map(each => [each[by], each[other]]));
  for (const each of before) {
    const value = now.get(each[by]);
    // What no longer occurs in responses is missed by nobody.
    if (value === each[other] || (by === 'of' && value === undefined)) continue;
    const [was, is] = [each[other], value].map(one => (one === undefined ? 'unknown' : JSON.stringify(one)));
    yield changed(`${title}: ${JSON.stringify(each[by])}`, `${was}`, `${is}`);
  }
  const known = new Set(before.map(each => each[by]));
  for (const each of after.filter(one => by === 'as' && !known.has(one.as)))
    yield ['safe', `${title}: ${JSON.stringify(each.as)} is new.`];
}

function* compareMappings(
  name: string | undefined,
  title: string,
  [old = {}, next = {}]: readonly (InputExtensions | undefined)[],
  [before, after]: readonly ReadonlyMap<string, Usage>[] = [],
): Generator<Change> {
  const [was, is] = [mappingOf(name, old, before), mappingOf(name, next, after)];
  if (was.form !== is.form) yield ['breaking', `${title} was mapped by ${was.text}, and is by ${is.text}.`];
  yield* compareValues(title, old.values, next.values, 'as');
}

/** The fields of input types of a set, wherever they are in a body. */
function* compareInputs(before: GraphQLSchema, after: GraphQLSchema): Generator<Change> {
  for (const type of Object.values(after.getTypeMap())) {
    const old = before.getType(type.name);
    if (!isInputObjectType(type) || !isInputObjectType(old)) continue;
    yield* compareMappings(undefined, type.name, [old.extensions, type.extensions]);
    for (const field of Object.values(type.getFields())) {
      const known = old.getFields()[field.name];
      if (!known) continue;
      const title = `${type.name}.${field.name}`;
      yield* compareMappings(field.name, title, [known.extensions, field.extensions]);
      yield* compareDeprecations(title, known.extensions, field.extensions);
      const presets = [known, field].map(each => JSON.stringify(each.defaultValue ?? null));
      const [was = '', is = ''] = presets.map(preset => (preset === 'null' ? 'absent' : preset));
      yield* compareRequired(title, known, field);
      const isGiven = isRequired(known) || isRequired(field);
      if (!isGiven && was !== is) yield changed(`${title}, if it is not given,`, was, is);
    }
  }
}

/** The roots of derived schemas, whose fields are operations. */
const ofRoots = /^(?:Query|Mutation|Subscription)(?:\.\w+)? was removed\.$/;

function* compareSchemas(before: GraphQLSchema, after: GraphQLSchema, now: Date): Generator<Change> {
  const textOf = ({ description }: { readonly description: string }) => inRestTerms(description);
  const kept = typesBesideGone(before, now);
  for (const change of findBreakingChanges(before, after)) {
    if (ofRoots.test(change.description)) continue;
    const [, name = '', member = '', argument] =
      /^(\w+)(?:\.(\w+))?(?: arg (\w+))? was removed\.$/.exec(change.description) ?? [];
    const type = before.getType(name);
    if (type && member === '' && !kept.has(type)) continue;
    const field = isObjectType(type) || isInputObjectType(type) ? type.getFields()[member] : undefined;
    const gone = argument && field && 'args' in field ? field.args.find(each => each.name === argument) : field;
    if (gone) yield removed(textOf(change).replace(/ was removed\.$/, ''), gone.extensions, now);
    else yield ['breaking', textOf(change)];
  }
  for (const change of findDangerousChanges(before, after)) {
    // Breaks only callers that assume more than the contract says, e.g. that an enum has no further values.
    if (change.type !== DangerousChangeType.ARG_DEFAULT_VALUE_CHANGE)
      yield [optional.has(change.type) ? 'safe' : 'dangerous', textOf(change)];
  }
  for (const text of additions(before, after)) yield ['safe', text];
}

/** The types of a schema without what was announced to be gone by now. */
function typesBesideGone(schema: GraphQLSchema, now: Date): ReadonlySet<unknown> {
  const found = new Set<unknown>();
  const isKept = ({ extensions: { deprecation } }: { readonly extensions: DeprecationExtension }) =>
    deprecation === undefined || !isPastSunset(deprecation, now);
  const visit = (type: unknown) => {
    if (found.has(type)) return;
    found.add(type);
    if (!isObjectType(type) && !isInputObjectType(type)) return;
    for (const field of Object.values(type.getFields())) {
      if (!isKept(field)) continue;
      visit(getNamedType(field.type));
      const args = 'args' in field ? field.args : [];
      for (const argument of args.filter(isKept)) visit(getNamedType(argument.type));
    }
  };
  for (const root of [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]) visit(root);
  return found;
}

/** A request without them means the same as before. */
const optional = new Set<string>([
  DangerousChangeType.OPTIONAL_ARG_ADDED,
  DangerousChangeType.OPTIONAL_INPUT_FIELD_ADDED,
]);

/** In the derived schema an operation is a root field, and its parameters are arguments. */
const inRestTerms = (description: string) =>
  description.replace(/\b(?:Query|Mutation|Subscription)\.(\w+)/g, '$1').replace(/\b(arg|argument)\b/g, 'parameter');

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
