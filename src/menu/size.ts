import type { Fault } from '../errors.ts';
import type { PostedConfiguration } from './check.ts';
import type { MenuLimits } from './limits.ts';

/** The four published limits. A small body can say a vast tree, so the tree is counted without being built. */
export function* checkSize(configuration: PostedConfiguration, limits: MenuLimits): Generator<Fault> {
  const { menus, categories, items, modifierGroups, modifierItems } = configuration;
  const entities = menus.length + categories.length + items.length + modifierGroups.length + modifierItems.length;
  if (entities > limits.entities) yield tooLong(`${entities} entities`, limits.entities);

  const links =
    total(menus.map(menu => menu.categoryExternalIds?.length ?? 0)) +
    total(categories.map(category => category.itemExternalIds?.length ?? 0)) +
    total(items.map(item => item.modifierExternalIds?.length ?? 0)) +
    total(modifierGroups.map(group => group.modifierItemExternalIds?.length ?? 0));
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
function measureTree(
  { menus, categories, items, modifierGroups, modifierItems }: PostedConfiguration,
  own: (entity: object) => number,
): number {
  const ofModifier = sizes(modifierItems, own, () => 0);
  const ofGroup = sizes(modifierGroups, own, group => below(group.modifierItemExternalIds, ofModifier));
  const ofItem = sizes(items, own, item => below(item.modifierExternalIds, ofGroup));
  const ofCategory = sizes(categories, own, category => below(category.itemExternalIds, ofItem));
  return total(menus.map(menu => own(menu) + below(menu.categoryExternalIds, ofCategory)));
}

function sizes<T extends { readonly externalId: string }>(
  entities: readonly T[],
  own: (entity: object) => number,
  children: (entity: T) => number,
) {
  return new Map(entities.map(entity => [entity.externalId, own(entity) + children(entity)]));
}

function below(externalIds: readonly string[] | null | undefined, size: ReadonlyMap<string, number>): number {
  return total((externalIds ?? []).map(id => size.get(id) ?? 0));
}

function total(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

function tooLong(count: string, limit: number): Fault {
  return { path: [], type: 'too_long', message: `The configuration has ${count}; at most ${limit} are allowed` };
}
