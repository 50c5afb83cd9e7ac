import type {
  CategoryInput,
  MenuConfigurationInput,
  MenuDiagnosticCode,
  MenuInput,
  MenuItemInput,
  ModifierGroupInput,
  ModifierItemInput,
} from '../../generated/graph.ts';
import type { Steps } from '../../scheduling/time-slice.ts';
import type { KindName } from '../kinds.ts';

export type Path = readonly [KindName, ...(string | number)[]];

/** A result of a check, without the severity, which follows from the code. */
export interface Finding {
  readonly code: MenuDiagnosticCode;
  readonly path: Path;
  readonly message: string;
}

/** The results of a check, and undefined between the entities that it looks at, where long work may stop. */
export type Findings = Generator<Finding | undefined>;

export interface LinkedGroup extends ModifierGroupInput {
  readonly modifierItems: readonly ModifierItemInput[];
}

export interface LinkedItem extends MenuItemInput {
  readonly modifierGroups: readonly LinkedGroup[];
}

interface LinkedCategory extends CategoryInput {
  readonly items: readonly LinkedItem[];
}

/** The input of every check: a configuration with all lists present and references resolved. */
export interface ValidationContext {
  readonly menus: readonly MenuInput[];
  readonly categories: readonly LinkedCategory[];
  readonly items: readonly LinkedItem[];
  readonly modifierGroups: readonly LinkedGroup[];
  readonly modifierItems: readonly ModifierItemInput[];
  readonly itemById: ReadonlyMap<string, LinkedItem>;
  /** Number of categories by external id of a listed item. */
  readonly categoryCounts: ReadonlyMap<string, number>;
  /** Number of items by external id of an offered modifier group. */
  readonly itemCounts: ReadonlyMap<string, number>;
}

export function* createContext(configuration: MenuConfigurationInput): Steps<ValidationContext> {
  const modifierItems = configuration.modifierItems ?? [];
  const modifierItemById = indexById(modifierItems);
  const modifierGroups: LinkedGroup[] = [];
  for (const group of configuration.modifierGroups ?? []) {
    modifierGroups.push({ ...group, modifierItems: findAll(modifierItemById, group.modifierItemExternalIds) });
    yield;
  }
  const groupById = indexById(modifierGroups);
  const items: LinkedItem[] = [];
  for (const item of configuration.items) {
    items.push({ ...item, modifierGroups: findAll(groupById, item.modifierExternalIds) });
    yield;
  }
  const itemById = indexById(items);
  const categories: LinkedCategory[] = [];
  for (const category of configuration.categories ?? []) {
    categories.push({ ...category, items: findAll(itemById, category.itemExternalIds) });
    yield;
  }
  return {
    menus: configuration.menus ?? [],
    categories,
    items,
    modifierGroups,
    modifierItems,
    itemById,
    categoryCounts: yield* countReferences(categories.map(category => category.itemExternalIds)),
    itemCounts: yield* countReferences(items.map(item => item.modifierExternalIds)),
  };
}

type ExternalIds = readonly string[] | null | undefined;

function indexById<T extends { readonly externalId: string }>(entities: readonly T[]): Map<string, T> {
  return new Map(entities.map(entity => [entity.externalId, entity]));
}

function findAll<T>(entities: ReadonlyMap<string, T>, externalIds: ExternalIds): T[] {
  const found: T[] = [];
  for (const id of externalIds ?? []) {
    const entity = entities.get(id);
    if (entity !== undefined) found.push(entity);
  }
  return found;
}

function* countReferences(lists: readonly ExternalIds[]): Steps<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const list of lists) {
    for (const id of list ?? []) counts.set(id, (counts.get(id) ?? 0) + 1);
    yield;
  }
  return counts;
}
