import type { ValidationError } from '../errors.ts';
import type { PostedConfiguration } from './check.ts';
import { type KindName, linkedIds, menuKinds } from './kinds.ts';
import type { MenuLimits } from './limits.ts';

/** The four published limits. A small body can say a vast tree, so the tree is counted without being built. */
export function* checkSize(configuration: PostedConfiguration, limits: MenuLimits): Generator<ValidationError> {
  const entities = total(menuKinds.map(({ name }) => configuration[name].length));
  if (entities > limits.entities) yield tooLong(`${entities} entities`, limits.entities);

  const links = total(
    menuKinds.flatMap(kind => configuration[kind.name].map((entity: object) => linkedIds(kind, entity).length)),
  );
  if (links > limits.links) yield tooLong(`${links} links`, limits.links);

  const nodes = measureTree(configuration, () => 1);
  if (nodes > limits.treeNodes) yield tooLong(`${nodes} nodes in its tree`, limits.treeNodes);

  // Few come near the limit, and to write all their JSON would only make garbage.
  if (measureTree(configuration, mostBytes) <= limits.treeBytes) return;
  const bytes = measureTree(configuration, entity => Buffer.byteLength(JSON.stringify(entity)));
  if (bytes > limits.treeBytes) yield tooLong(`${bytes} bytes in its tree`, limits.treeBytes);
}

/** At least as many bytes as a value takes in JSON: no character takes more than six, and no number more than 24. */
function mostBytes(value: unknown): number {
  if (typeof value === 'string') return 6 * value.length + 3;
  if (typeof value !== 'object' || value === null) return 25;
  let bytes = 3;
  if (Array.isArray(value)) {
    for (const element of value) bytes += mostBytes(element);
    return bytes;
  }
  for (const key in value) bytes += 6 * key.length + 3 + mostBytes(value[key as keyof typeof value]);
  return bytes;
}

/** What the tree measures with every entity counted in each of its places. */
function measureTree(configuration: PostedConfiguration, own: (entity: object) => number): number {
  const sizes = new Map<KindName, ReadonlyMap<string, number>>();
  // From the leaves up, so that the size of what an entity lists is known.
  for (const kind of menuKinds.toReversed()) {
    const ofChild = kind.links && sizes.get(kind.links.to);
    if (kind.links && !ofChild)
      throw new Error(`The kind ${kind.name} stands below ${kind.links.to}, which it links to`);
    const entities: readonly { readonly externalId: string }[] = configuration[kind.name];
    const sizeOf = (entity: object) =>
      own(entity) + total(linkedIds(kind, entity).map(id => (id === undefined ? 0 : (ofChild?.get(id) ?? 0))));
    sizes.set(kind.name, new Map(entities.map(entity => [entity.externalId, sizeOf(entity)])));
  }
  return total([...(sizes.get('menus')?.values() ?? [])]);
}

function total(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

function tooLong(count: string, limit: number): ValidationError {
  return { path: [], type: 'too_long', message: `The configuration has ${count}; at most ${limit} are allowed` };
}
