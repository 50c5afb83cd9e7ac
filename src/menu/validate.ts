import { InvalidInput, type ValidationError } from '@carte/base/errors';
import { codePointsIn } from '@carte/base/json';
import { isPause, runInSlices, type Steps } from '@carte/base/time-slice';
import { type ErrorPath, findUnstorable, isStorable, maxErrors } from '@carte/base/validation';
import type { MenuLimits } from '../limits.ts';
import {
  byKind,
  type ConfigurationInput,
  childIdsOf,
  childrenOf,
  type KindName,
  kindOf,
  menuKinds,
  type PostedConfiguration,
} from './kinds.ts';
import { checkLanguages, checkPeriods } from './text-limits.ts';

/** Input of which some values could not be parsed and are undefined. */
type PartiallyParsed<T> = T extends readonly (infer Item)[]
  ? readonly (PartiallyParsed<Item> | undefined)[]
  : T extends object
    ? { readonly [Key in keyof T]?: PartiallyParsed<T[Key]> | undefined }
    : T;

type PartialConfiguration = {
  readonly [Name in KindName]: PartiallyParsed<PostedConfiguration[Name]> | undefined;
};

const maxExternalIdLength = 255;

/**
 * Throws `InvalidInput` with all errors of a configuration; their paths start at the argument `input`. One that was stored may have languages and
 * periods beyond the limits, which were published later.
 */
export function* validateConfiguration(
  input: ConfigurationInput,
  limits: MenuLimits,
  { isStored = false } = {},
): Steps<PostedConfiguration> {
  const configuration: PostedConfiguration = byKind(({ name }) => (input[name] ?? []) as never[]);
  const ofPosted = isStored ? [] : [checkLanguages, checkPeriods];
  const errors = yield* collectErrors(configuration, [checkTexts, ...ofPosted, checkIdentifiers, checkReferences]);
  // The size of a tree is defined only if its references are valid.
  if (errors.length === 0) errors.push(...(yield* checkLimits(configuration, limits)));
  if (errors.length > 0) throw new InvalidInput(errors.map(belowInput));
  return configuration;
}

/**
 * Finds the errors in identifiers and references of a configuration that could not be parsed completely, so that they are
 * reported together with the parse errors. A list that is absent is empty; one that is undefined could not be parsed.
 */
export function* validatePartialConfiguration(parsed: unknown): Steps<ValidationError[]> {
  // Items are required: without them, it is not known which there are.
  const input = { items: undefined, ...(parsed as PartiallyParsed<ConfigurationInput> | null | undefined) };
  const configuration: PartialConfiguration = byKind(({ name }) => {
    return (name in input ? (input[name] ?? undefined) : []) as never[] | undefined;
  });
  // The reader of the input has checked the texts.
  const checks = [checkLanguages, checkPeriods, checkIdentifiers, checkReferences];
  return (yield* collectErrors(configuration, checks)).map(belowInput);
}

/** Finds the errors in the external ids of some lists, each with its own kind. */
export function checkExternalIds(lists: Partial<PartialConfiguration>): Steps<ValidationError[]> {
  return collectErrors({ ...byKind(() => []), ...lists }, [checkTexts, checkIdentifiers]);
}

/** Validators of partially parsed arguments, by mutation. */
export const partialInputChecks = {
  replaceMenuConfiguration: ({ input }: { readonly input?: unknown }) =>
    runInSlices(validatePartialConfiguration(input)),
};

/** Yields each error, and undefined between entities, where long work may stop. */
export type Check = (configuration: PartialConfiguration) => Generator<ValidationError | undefined>;

function* collectErrors(configuration: PartialConfiguration, checks: readonly Check[]): Steps<ValidationError[]> {
  const errors: ValidationError[] = [];
  for (const check of checks) {
    for (const error of check(configuration)) {
      if (error) errors.push(error);
      else yield;
      if (errors.length === maxErrors) return errors;
    }
  }
  return errors;
}

const belowInput = (error: ValidationError): ValidationError => ({ ...error, path: ['input', ...error.path] });

/** Rejects NUL and lone surrogates, which PostgreSQL's `text` cannot store. */
function* checkTexts(configuration: PartialConfiguration): ReturnType<Check> {
  for (const { name } of menuKinds) {
    for (const [index, entity] of (configuration[name] ?? []).entries()) {
      for (const property in entity)
        yield* checkProperty(entity[property as keyof typeof entity], [name, index, property]);
      if (isPause(index)) yield;
    }
  }
}

function* checkProperty(value: unknown, path: ErrorPath): ReturnType<Check> {
  const isList = Array.isArray(value);
  for (const [index, element] of (isList ? value : [value]).entries()) {
    const place = isList ? [...path, index] : path;
    if (!isStorable(element, place.length)) yield* findUnstorable(element, place);
    if (isPause(index)) yield;
  }
}

/** External ids have 1 to 255 characters and are unique within their kind. */
function* checkIdentifiers(configuration: PartialConfiguration): ReturnType<Check> {
  for (const { name, noun } of menuKinds) {
    const firstIndex = new Map<string, number>();
    for (const [index, entity] of (configuration[name] ?? []).entries()) {
      const externalId = entity?.externalId;
      if (externalId === undefined) continue;
      const path = [name, index, 'externalId'];
      if (externalId === '') {
        yield { path, type: 'string_too_short', message: 'String should have at least 1 character' };
      } else if (isTooLong(externalId)) {
        const message = `String should have at most ${maxExternalIdLength} characters`;
        yield { path, type: 'string_too_long', message };
      }
      const first = firstIndex.get(externalId);
      if (first === undefined) firstIndex.set(externalId, index);
      else {
        const message = `external id ${JSON.stringify(externalId)} is already that of the ${noun} at index ${first}`;
        yield { path, type: 'duplicate_external_id', message };
      }
      if (isPause(index)) yield;
    }
  }
}

/** Counts code points only if there are more UTF-16 code units than the limit. */
const isTooLong = (text: string) => text.length > maxExternalIdLength && codePointsIn(text) > maxExternalIdLength;

/** References name an entity of the same configuration, and no list contains a reference twice. */
function* checkReferences(configuration: PartialConfiguration): ReturnType<Check> {
  const ids = byKind(({ name }) => externalIdsOf(configuration[name]));
  for (const kind of menuKinds) {
    if (!kind.children) continue;
    const { property, kind: childKind } = kind.children;
    const entities: readonly (object | undefined)[] = configuration[kind.name] ?? [];
    for (const [index, entity] of entities.entries()) {
      const path = [kind.name, index, property];
      yield* checkReferenceList(childIdsOf(kind, entity), ids[childKind], kindOf(childKind).noun, path);
      if (isPause(index)) yield;
    }
  }
  for (const [index, modifierItem] of (configuration.modifierItems ?? []).entries()) {
    const id = modifierItem?.itemExternalId;
    if (id === null || id === undefined || !ids.items || ids.items.has(id)) continue;
    yield notFound(['modifierItems', index, 'itemExternalId'], 'item', id);
  }
}

function* checkReferenceList(
  ids: readonly (string | undefined)[],
  targets: ReadonlySet<string> | undefined,
  noun: string,
  path: ErrorPath,
): ReturnType<Check> {
  const firstIndex = new Map<string, number>();
  for (const [index, id] of ids.entries()) {
    if (isPause(index)) yield;
    if (id === undefined) continue;
    const first = firstIndex.get(id);
    if (first !== undefined) {
      const message = `external id ${JSON.stringify(id)} is already listed at index ${first}`;
      yield { path: [...path, index], type: 'duplicate_reference', message };
      continue;
    }
    firstIndex.set(id, index);
    if (targets && !targets.has(id)) yield notFound([...path, index], noun, id);
  }
}

export function notFound(path: ErrorPath, noun: string, id: string): ValidationError {
  return { path, type: 'reference_not_found', message: `no ${noun} has the external id ${JSON.stringify(id)}` };
}

/** The external ids of a list, or undefined if any of them could not be parsed and references cannot be checked. */
function externalIdsOf(
  entities: readonly ({ readonly externalId?: string | undefined } | undefined)[] | undefined,
): ReadonlySet<string> | undefined {
  const ids = entities?.map(entity => entity?.externalId);
  return ids?.every(id => id !== undefined) ? new Set(ids) : undefined;
}

/** Measures the tree without building it, since a small body can describe a huge tree. */
function* checkLimits(configuration: PostedConfiguration, limits: MenuLimits): Steps<ValidationError[]> {
  const errors: ValidationError[] = [];
  const entities = sum(menuKinds.map(({ name }) => configuration[name].length));
  if (entities > limits.entities) errors.push(tooLong(`${entities} entities`, limits.entities));

  const links = sum(
    menuKinds.flatMap(kind => configuration[kind.name].map((entity: object) => childIdsOf(kind, entity).length)),
  );
  if (links > limits.links) errors.push(tooLong(`${links} links`, limits.links));
  yield;

  const nodes = yield* measureTree(configuration, () => 1);
  if (nodes > limits.treeNodes) errors.push(tooLong(`${nodes} nodes in its tree`, limits.treeNodes));

  // Most configurations are far below the limit, and serializing them would only create garbage.
  if ((yield* measureTree(configuration, maxBytesOf)) <= limits.treeBytes) return errors;
  const bytes = yield* measureTree(configuration, entity => Buffer.byteLength(JSON.stringify(entity)));
  if (bytes > limits.treeBytes) errors.push(tooLong(`${bytes} bytes in its tree`, limits.treeBytes));
  return errors;
}

/** An upper bound of a value's size as JSON: a UTF-16 code unit takes at most 6 bytes, and a number at most 24. */
function maxBytesOf(value: unknown): number {
  if (typeof value === 'string') return 6 * value.length + 3;
  if (typeof value !== 'object' || value === null) return 25;
  let bytes = 3;
  if (Array.isArray(value)) {
    for (const element of value) bytes += maxBytesOf(element);
    return bytes;
  }
  for (const key in value) bytes += 6 * key.length + 3 + maxBytesOf(value[key as keyof typeof value]);
  return bytes;
}

/** Sums a measure over the expanded tree, from the leaves up so that the sizes of children are known. */
function* measureTree(configuration: PostedConfiguration, measure: (entity: object) => number): Steps<number> {
  const sizes = byKind(() => new Map<string, number>());
  for (const kind of menuKinds.toReversed()) {
    const childSizes = kind.children && sizes[kind.children.kind];
    const entities: readonly { readonly externalId: string }[] = configuration[kind.name];
    for (const [index, entity] of entities.entries()) {
      let size = measure(entity);
      for (const id of childrenOf(kind, entity)) size += childSizes?.get(id) ?? 0;
      sizes[kind.name].set(entity.externalId, size);
      if (isPause(index)) yield;
    }
  }
  return sum([...sizes.menus.values()]);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function tooLong(count: string, limit: number): ValidationError {
  return { path: [], type: 'too_long', message: `The configuration has ${count}; at most ${limit} are allowed` };
}
