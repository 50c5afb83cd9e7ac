import type { MenuConfigurationInput, MenuDiagnosticCode } from '../../generated/graph.ts';
import type { Steps } from '../../scheduling/time-slice.ts';
import {
  type CategoryNode,
  type Configuration,
  type ConfigurationRows,
  linkConfiguration,
  type MenuItemNode,
  type MenuNode,
  type ModifierGroupNode,
  type ModifierItemNode,
} from '../configuration.ts';
import { byKind, type KindName, withDefaults } from '../kinds.ts';

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

/** How many entities refer to another one, by its external id. */
type Counts = ReadonlyMap<string, number>;

/** The input of every check: the lists of a configuration, and who refers to their entities. */
export interface ValidationContext {
  readonly menus: readonly MenuNode[];
  readonly categories: readonly CategoryNode[];
  readonly items: readonly MenuItemNode[];
  readonly modifierGroups: readonly ModifierGroupNode[];
  readonly modifierItems: readonly ModifierItemNode[];
  /** Parents by their children, and modifier items by the item that they stand for. */
  readonly menusOfCategory: Counts;
  readonly categoriesOfItem: Counts;
  readonly itemsOfGroup: Counts;
  readonly groupsOfModifierItem: Counts;
  readonly modifierItemsOfItem: Counts;
}

export function* createContext(configuration: Configuration): Steps<ValidationContext> {
  const menus = [...configuration.menus.values()];
  const categories = [...configuration.categories.values()];
  const items = [...configuration.items.values()];
  const modifierGroups = [...configuration.modifierGroups.values()];
  const modifierItems = [...configuration.modifierItems.values()];
  return {
    menus,
    categories,
    items,
    modifierGroups,
    modifierItems,
    menusOfCategory: yield* countReferences(menus.map(menu => menu.categoryExternalIds)),
    categoriesOfItem: yield* countReferences(categories.map(category => category.itemExternalIds)),
    itemsOfGroup: yield* countReferences(items.map(item => item.modifierExternalIds)),
    groupsOfModifierItem: yield* countReferences(modifierGroups.map(group => group.modifierItemExternalIds)),
    modifierItemsOfItem: yield* countReferences([modifierItems.flatMap(item => item.menuItemExternalId ?? [])]),
  };
}

/** Links a configuration that is not stored; its references are valid. */
export function linkInput(input: MenuConfigurationInput): Steps<Configuration> {
  const rows: unknown = byKind(kind => (input[kind.name] ?? []).map((entity: object) => withDefaults(kind, entity)));
  return linkConfiguration('', 0, rows as ConfigurationRows);
}

function* countReferences(lists: readonly (readonly string[])[]): Steps<Counts> {
  const counts = new Map<string, number>();
  for (const list of lists) {
    for (const id of list) counts.set(id, (counts.get(id) ?? 0) + 1);
    yield;
  }
  return counts;
}
