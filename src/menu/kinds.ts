import type { Steps } from '@carte/base/time-slice';
import type { EntityManager, EntitySchema } from '@mikro-orm/postgresql';
import type { MenuEntityKind, ReplaceMenuConfigurationInput } from '../generated/graph.ts';
import type { Configuration, ConfigurationRows } from './configuration.ts';
import { CategoryEntity, MenuEntity, MenuItemEntity, ModifierGroupEntity, ModifierItemEntity } from './entities.ts';

/** The lists of a configuration, without what says where they are written. */
export type ConfigurationInput = Omit<ReplaceMenuConfigurationInput, 'storeId' | 'expectedMenuRevision'>;

/** A kind of menu entity, named after its list in the configuration. */
export type KindName = keyof ConfigurationInput;

/** A configuration input with every list present. */
export type PostedConfiguration = { readonly [Name in KindName]-?: NonNullable<ConfigurationInput[Name]> };

interface KindDefinition {
  readonly entity: EntitySchema;
  readonly noun: string;
  /** The property that lists the external ids of an entity's children, and the kind of those children. */
  readonly children?: { readonly property: string; readonly kind: KindName };
  /** Values stored for properties that are absent or null in the input. */
  readonly defaults: Readonly<Record<string, unknown>>;
  /** Properties that operators set and a replacement preserves. */
  readonly notPosted: Readonly<Record<string, true>>;
}

type Posted<Name extends KindName> = PostedConfiguration[Name][number];
type Stored<Name extends KindName> = Omit<ConfigurationRows[Name][number], 'numericId'>;

/** Properties that the input may leave out, and whose columns cannot be null. */
type WithDefault<Name extends KindName> = {
  [Property in keyof Posted<Name> & keyof Stored<Name>]-?: null extends Stored<Name>[Property]
    ? never
    : Extract<Posted<Name>[Property], null | undefined> extends never
      ? never
      : Property;
}[keyof Posted<Name> & keyof Stored<Name>];

/** The definition of a kind. A column without a field of the input, a field without a column, and a missing default do not compile. */
interface DefinitionOf<Name extends KindName> extends KindDefinition {
  readonly defaults: Readonly<Pick<Stored<Name>, WithDefault<Name>>>;
  readonly notPosted: Readonly<Record<Exclude<keyof Stored<Name>, keyof Posted<Name>>, true>> &
    Readonly<Record<Exclude<keyof Posted<Name>, keyof Stored<Name>>, never>>;
}

export type Kind = KindDefinition & { readonly name: KindName };

const definitions: { readonly [Name in KindName]: DefinitionOf<Name> } = {
  menus: {
    entity: MenuEntity,
    noun: 'menu',
    children: { property: 'categoryExternalIds', kind: 'categories' },
    defaults: { categoryExternalIds: [] },
    notPosted: {},
  },
  categories: {
    entity: CategoryEntity,
    noun: 'category',
    children: { property: 'itemExternalIds', kind: 'items' },
    defaults: { itemExternalIds: [] },
    notPosted: {},
  },
  items: {
    entity: MenuItemEntity,
    noun: 'item',
    children: { property: 'modifierGroupExternalIds', kind: 'modifierGroups' },
    defaults: { modifierGroupExternalIds: [], inStock: true },
    notPosted: { preparationType: true },
  },
  modifierGroups: {
    entity: ModifierGroupEntity,
    noun: 'modifier group',
    children: { property: 'modifierItemExternalIds', kind: 'modifierItems' },
    defaults: { modifierItemExternalIds: [] },
    notPosted: {},
  },
  modifierItems: { entity: ModifierItemEntity, noun: 'modifier item', defaults: { inStock: true }, notPosted: {} },
};

/** All kinds, parents before their children. */
export const menuKinds: readonly Kind[] = Object.entries(definitions).map(([name, definition]) => {
  return { name: name as KindName, ...definition };
});

/** A value of each kind, by its name. */
export function byKind<Value>(create: (kind: Kind) => Value): Readonly<Record<KindName, Value>> {
  return Object.fromEntries(menuKinds.map(kind => [kind.name, create(kind)])) as Record<KindName, Value>;
}

/** The kinds of entities in the graph, by the names of their lists. */
export const entityKinds: Readonly<Record<KindName, MenuEntityKind>> = {
  menus: 'MENU',
  categories: 'CATEGORY',
  items: 'ITEM',
  modifierGroups: 'MODIFIER_GROUP',
  modifierItems: 'MODIFIER_ITEM',
};

const kinds = byKind(kind => kind);

export const kindOf = (name: KindName): Kind => kinds[name];

/** The external ids of an entity's children; undefined where an element could not be parsed. */
export function childIdsOf({ children }: Kind, entity: object | undefined): readonly (string | undefined)[] {
  const values = entity as Readonly<Record<string, readonly (string | undefined)[] | null | undefined>> | undefined;
  return (children && values?.[children.property]) ?? [];
}

/** The external ids of a stored entity's children; none if the entity does not exist. */
export function childrenOf(kind: Kind, entity: object | undefined): readonly string[] {
  return childIdsOf(kind, entity) as readonly string[];
}

/** The number of entities that contain another one, by its kind and external id. */
export type ParentCounts = Readonly<Record<KindName, ReadonlyMap<string, number>>>;

export function* countParents(configuration: Configuration): Steps<ParentCounts> {
  const counts = byKind(() => new Map<string, number>());
  for (const kind of menuKinds) {
    if (!kind.children) continue;
    const ofChildren = counts[kind.children.kind];
    for (const entity of configuration[kind.name].values()) {
      for (const id of childrenOf(kind, entity)) ofChildren.set(id, (ofChildren.get(id) ?? 0) + 1);
      yield;
    }
  }
  return counts;
}

/** A posted entity with the values that are stored for what it leaves out. */
export function withDefaults({ defaults }: Kind, entity: object): Record<string, unknown> {
  const row: Record<string, unknown> = { ...entity };
  for (const property in defaults) row[property] ??= defaults[property];
  return row;
}

export const isPosted = ({ notPosted }: Kind, property: string): boolean => !Object.hasOwn(notPosted, property);

export interface Column {
  readonly property: string;
  readonly name: string;
  readonly type: string;
}

/** The table of a kind and its columns, without those that identify a row. */
export function tableOf(em: EntityManager, { entity }: Kind): { tableName: string; columns: Column[] } {
  const { tableName, props } = em.getMetadata().get(entity.meta.class);
  const columns = props
    .filter(({ name }) => !['id', 'store', 'externalId'].includes(name))
    .map(prop => ({ property: prop.name, name: String(prop.fieldNames[0]), type: String(prop.columnTypes[0]) }));
  return { tableName, columns };
}
