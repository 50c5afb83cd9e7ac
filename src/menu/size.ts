import type { Fault } from '../errors.ts';
import type { PostedConfiguration } from './check.ts';
import type { MenuLimits } from './limits.ts';

/** The three published limits. A small body can say a vast tree, so the tree is counted without being built. */
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

  const nodes = countTreeNodes(configuration);
  if (nodes > limits.treeNodes) yield tooLong(`${nodes} nodes in its tree`, limits.treeNodes);
}

function countTreeNodes({ menus, categories, items, modifierGroups }: PostedConfiguration): number {
  const ofGroup = sizes(modifierGroups, group => group.modifierItemExternalIds?.length ?? 0);
  const ofItem = sizes(items, item => below(item.modifierExternalIds, ofGroup));
  const ofCategory = sizes(categories, category => below(category.itemExternalIds, ofItem));
  return total(menus.map(menu => 1 + below(menu.categoryExternalIds, ofCategory)));
}

function sizes<T extends { readonly externalId: string }>(entities: readonly T[], children: (entity: T) => number) {
  return new Map(entities.map(entity => [entity.externalId, 1 + children(entity)]));
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
