import type { ValidationError } from '../errors.ts';
import type { MenuLimits } from '../limits.ts';
import { isPause, type Steps } from '../scheduling/time-slice.ts';
import { childIdsOf, type KindName, menuKinds, type PostedConfiguration } from './kinds.ts';

/** Measures the tree without building it, since a small body can describe a huge tree. */
export function* checkLimits(configuration: PostedConfiguration, limits: MenuLimits): Steps<ValidationError[]> {
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
  const sizes = new Map<KindName, ReadonlyMap<string, number>>();
  for (const kind of menuKinds.toReversed()) {
    const childSizes = kind.children && sizes.get(kind.children.kind);
    if (kind.children && !childSizes) throw new Error(`${kind.name} must precede ${kind.children.kind} in menuKinds`);
    const entities: readonly { readonly externalId: string }[] = configuration[kind.name];
    const sizesOfKind = new Map<string, number>();
    for (const [index, entity] of entities.entries()) {
      let size = measure(entity);
      for (const id of childIdsOf(kind, entity)) size += id === undefined ? 0 : (childSizes?.get(id) ?? 0);
      sizesOfKind.set(entity.externalId, size);
      if (isPause(index)) yield;
    }
    sizes.set(kind.name, sizesOfKind);
  }
  return sum([...(sizes.get('menus')?.values() ?? [])]);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function tooLong(count: string, limit: number): ValidationError {
  return { path: [], type: 'too_long', message: `The configuration has ${count}; at most ${limit} are allowed` };
}
