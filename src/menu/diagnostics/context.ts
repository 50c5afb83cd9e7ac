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

/** A problem of one entity. */
export interface Problem {
  readonly code: MenuDiagnosticCode;
  /** Path below the entity; its own if absent. */
  readonly at?: readonly (string | number)[];
  /** The predicate of a sentence about the entity, or a whole sentence in `message`. */
  readonly text?: string;
  readonly message?: string;
}

export type Problems = Generator<Problem>;

/** Checks one entity of a kind. */
export type EntityCheck<Name extends KindName> = (
  entity: ValidationContext[Name][number],
  context: ValidationContext,
) => Problems;

interface LinkedMenu extends MenuInput {
  readonly categories: readonly LinkedCategory[];
}

export interface LinkedCategory extends CategoryInput {
  readonly items: readonly LinkedItem[];
}

export interface LinkedItem extends MenuItemInput {
  readonly modifierGroups: readonly LinkedGroup[];
}

export interface LinkedGroup extends ModifierGroupInput {
  readonly modifierItems: readonly ModifierItemInput[];
}

/** How many entities refer to another one, by its external id. */
type Counts = ReadonlyMap<string, number>;

/** The input of every check: a configuration with all lists present and references resolved. */
export interface ValidationContext {
  readonly menus: readonly LinkedMenu[];
  readonly categories: readonly LinkedCategory[];
  readonly items: readonly LinkedItem[];
  readonly modifierGroups: readonly LinkedGroup[];
  readonly modifierItems: readonly ModifierItemInput[];
  readonly itemById: ReadonlyMap<string, LinkedItem>;
  /** Parents by their children, and modifier items by the item that they stand for. */
  readonly menusOfCategory: Counts;
  readonly categoriesOfItem: Counts;
  readonly itemsOfGroup: Counts;
  readonly groupsOfModifierItem: Counts;
  readonly modifierItemsOfItem: Counts;
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
  const categoryById = indexById(categories);
  const menus = (configuration.menus ?? []).map(menu => {
    return { ...menu, categories: findAll(categoryById, menu.categoryExternalIds) };
  });
  return {
    menus,
    categories,
    items,
    modifierGroups,
    modifierItems,
    itemById,
    menusOfCategory: yield* countReferences(menus.map(menu => menu.categoryExternalIds)),
    categoriesOfItem: yield* countReferences(categories.map(category => category.itemExternalIds)),
    itemsOfGroup: yield* countReferences(items.map(item => item.modifierExternalIds)),
    groupsOfModifierItem: yield* countReferences(modifierGroups.map(group => group.modifierItemExternalIds)),
    modifierItemsOfItem: yield* countReferences([modifierItems.flatMap(item => item.menuItemExternalId ?? [])]),
  };
}

type ExternalIds = readonly string[] | null | undefined;

function indexById<T extends { readonly externalId: string }>(entities: readonly T[]): Map<string, T> {
  return new Map(entities.map(entity => [entity.externalId, entity]));
}

function findAll<T>(entities: ReadonlyMap<string, T>, externalIds: ExternalIds): T[] {
  return (externalIds ?? []).flatMap(id => entities.get(id) ?? []);
}

function* countReferences(lists: readonly ExternalIds[]): Steps<Counts> {
  const counts = new Map<string, number>();
  for (const list of lists) {
    for (const id of list ?? []) counts.set(id, (counts.get(id) ?? 0) + 1);
    yield;
  }
  return counts;
}
