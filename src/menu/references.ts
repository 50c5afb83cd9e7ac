import type { Fault } from '../errors.ts';
import type { PostedConfiguration } from './check.ts';

const longestExternalId = 255;

const kinds = [
  { list: 'menus', noun: 'menu' },
  { list: 'categories', noun: 'category' },
  { list: 'items', noun: 'item' },
  { list: 'modifierGroups', noun: 'modifier group' },
  { list: 'modifierItems', noun: 'modifier item' },
] as const;

/** External ids: 1 to 255 characters, unique within their kind. */
export function* checkIdentifiers(configuration: PostedConfiguration): Generator<Fault> {
  for (const { list, noun } of kinds) {
    const firstWith = new Map<string, number>();
    for (const [index, { externalId }] of configuration[list].entries()) {
      const path = [list, index, 'externalId'];
      if (externalId === '') {
        yield { path, type: 'string_too_short', message: 'String should have at least 1 character' };
      } else if ([...externalId].length > longestExternalId) {
        yield { path, type: 'string_too_long', message: `String should have at most ${longestExternalId} characters` };
      }
      const first = firstWith.get(externalId);
      if (first === undefined) firstWith.set(externalId, index);
      else {
        const message = `external id ${JSON.stringify(externalId)} is already that of the ${noun} at index ${first}`;
        yield { path, type: 'duplicate_external_id', message };
      }
    }
  }
}

/** Every reference names an entity of the same configuration, and no list names one twice. */
export function* checkReferences(configuration: PostedConfiguration): Generator<Fault> {
  const { menus, categories, items, modifierGroups, modifierItems } = configuration;
  const categoryIds = idsOf(categories);
  const itemIds = idsOf(items);
  const groupIds = idsOf(modifierGroups);
  const modifierItemIds = idsOf(modifierItems);
  for (const [index, menu] of menus.entries()) {
    yield* checkLinks(menu.categoryExternalIds, categoryIds, 'category', ['menus', index, 'categoryExternalIds']);
  }
  for (const [index, category] of categories.entries()) {
    yield* checkLinks(category.itemExternalIds, itemIds, 'item', ['categories', index, 'itemExternalIds']);
  }
  for (const [index, item] of items.entries()) {
    yield* checkLinks(item.modifierExternalIds, groupIds, 'modifier group', ['items', index, 'modifierExternalIds']);
  }
  for (const [index, group] of modifierGroups.entries()) {
    const path = ['modifierGroups', index, 'modifierItemExternalIds'];
    yield* checkLinks(group.modifierItemExternalIds, modifierItemIds, 'modifier item', path);
  }
  for (const [index, { menuItemExternalId: id }] of modifierItems.entries()) {
    if (id === null || id === undefined || itemIds.has(id)) continue;
    yield notFound(['modifierItems', index, 'menuItemExternalId'], 'item', id);
  }
}

function* checkLinks(
  links: readonly string[] | null | undefined,
  targets: ReadonlySet<string>,
  noun: string,
  path: readonly (string | number)[],
): Generator<Fault> {
  const firstWith = new Map<string, number>();
  for (const [position, id] of (links ?? []).entries()) {
    const first = firstWith.get(id);
    if (first !== undefined) {
      const message = `external id ${JSON.stringify(id)} is already listed at index ${first}`;
      yield { path: [...path, position], type: 'duplicate_reference', message };
      continue;
    }
    firstWith.set(id, position);
    if (!targets.has(id)) yield notFound([...path, position], noun, id);
  }
}

function notFound(path: readonly (string | number)[], noun: string, id: string): Fault {
  return { path, type: 'reference_not_found', message: `no ${noun} has the external id ${JSON.stringify(id)}` };
}

function idsOf(entities: readonly { readonly externalId: string }[]): ReadonlySet<string> {
  return new Set(entities.map(entity => entity.externalId));
}
