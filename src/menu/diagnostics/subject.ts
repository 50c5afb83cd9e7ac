import type { Availability } from '../availability.ts';
import type { MultilingualText } from '../entities.ts';
import type { DiagnosticCode } from './codes.ts';

type Optional<T> = T | null | undefined;

interface Entity {
  readonly externalId: string;
  readonly name?: Optional<MultilingualText>;
  readonly description?: Optional<MultilingualText>;
}

export interface DiagnosedMenu extends Entity {
  readonly availability: readonly Availability[];
  readonly categoryExternalIds?: Optional<readonly string[]>;
}

interface DiagnosedCategory extends Entity {
  readonly itemExternalIds?: Optional<readonly string[]>;
}

interface DiagnosedItem extends Entity {
  readonly price: number;
  readonly tax: number;
  readonly sellSeparately: boolean;
  readonly inStock?: Optional<boolean>;
  readonly dietaryLabels?: Optional<readonly string[]>;
  readonly prepTime?: Optional<number>;
  /** A number; the ORM's type for the column is wider than what the row holds. */
  readonly alcoholByVolume?: Optional<number | string>;
  readonly modifierExternalIds?: Optional<readonly string[]>;
}

interface DiagnosedGroup extends Entity {
  readonly groupMin: number;
  readonly groupMax: number;
  readonly chargeAfter: number;
  readonly modifierItemExternalIds?: Optional<readonly string[]>;
}

export interface DiagnosedModifierItem extends Entity {
  readonly priceChange: number;
  readonly taxChange: number;
  readonly minQuantity: number;
  readonly maxQuantity: number;
  readonly defaultQuantity: number;
  readonly inStock?: Optional<boolean>;
  readonly menuItemExternalId?: Optional<string>;
}

/** The five lists in posted order, as the graph takes them or as the rows are stored. */
export interface DiagnosedConfiguration {
  readonly menus?: Optional<readonly DiagnosedMenu[]>;
  readonly categories?: Optional<readonly DiagnosedCategory[]>;
  readonly items?: Optional<readonly DiagnosedItem[]>;
  readonly modifierGroups?: Optional<readonly DiagnosedGroup[]>;
  readonly modifierItems?: Optional<readonly DiagnosedModifierItem[]>;
}

export interface LinkedGroup extends DiagnosedGroup {
  readonly members: readonly DiagnosedModifierItem[];
}

export interface LinkedItem extends DiagnosedItem {
  readonly groups: readonly LinkedGroup[];
}

interface LinkedCategory extends DiagnosedCategory {
  readonly listed: readonly LinkedItem[];
}

/** A configuration with every list present and linked; what a link names in vain is refused elsewhere. */
export interface Subject {
  readonly menus: readonly DiagnosedMenu[];
  readonly categories: readonly LinkedCategory[];
  readonly items: readonly LinkedItem[];
  readonly modifierGroups: readonly LinkedGroup[];
  readonly modifierItems: readonly DiagnosedModifierItem[];
  readonly itemById: ReadonlyMap<string, LinkedItem>;
  /** In how many categories an item is, and at how many items a group; absent for none. */
  readonly categoriesOf: ReadonlyMap<string, number>;
  readonly itemsOf: ReadonlyMap<string, number>;
}

/** From the menus down, which is the order in which places are told. */
export const listNames = ['menus', 'categories', 'items', 'modifierGroups', 'modifierItems'] as const;

export type Path = readonly [(typeof listNames)[number], ...(string | number)[]];

export interface Finding {
  readonly code: DiagnosticCode;
  readonly path: Path;
  readonly message: string;
}

export function subjectOf(configuration: DiagnosedConfiguration): Subject {
  const modifierItems = configuration.modifierItems ?? [];
  const modifierItemById = byId(modifierItems);
  const modifierGroups = (configuration.modifierGroups ?? []).map(group => ({
    ...group,
    members: pick(modifierItemById, group.modifierItemExternalIds),
  }));
  const groupById = byId(modifierGroups);
  const items = (configuration.items ?? []).map(item => ({
    ...item,
    groups: pick(groupById, item.modifierExternalIds),
  }));
  const itemById = byId(items);
  const categories = (configuration.categories ?? []).map(category => ({
    ...category,
    listed: pick(itemById, category.itemExternalIds),
  }));
  return {
    menus: configuration.menus ?? [],
    categories,
    items,
    modifierGroups,
    modifierItems,
    itemById,
    categoriesOf: countReferences(categories.map(category => category.itemExternalIds)),
    itemsOf: countReferences(items.map(item => item.modifierExternalIds)),
  };
}

function byId<T extends Entity>(entities: readonly T[]): Map<string, T> {
  return new Map(entities.map(entity => [entity.externalId, entity]));
}

function pick<T>(entities: ReadonlyMap<string, T>, externalIds: Optional<readonly string[]>): T[] {
  const picked: T[] = [];
  for (const id of externalIds ?? []) {
    const entity = entities.get(id);
    if (entity !== undefined) picked.push(entity);
  }
  return picked;
}

/** How often each external id is listed. */
function countReferences(lists: readonly Optional<readonly string[]>[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const list of lists) for (const id of list ?? []) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}
