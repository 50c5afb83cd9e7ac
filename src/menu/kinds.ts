import type { EntityManager, EntitySchema } from '@mikro-orm/postgresql';
import type { MenuConfigurationInput } from '../generated/graph.ts';
import { CategoryEntity, MenuEntity, MenuItemEntity, ModifierGroupEntity, ModifierItemEntity } from './entities.ts';

/** A configuration input with every list present. */
export interface PostedConfiguration {
  readonly menus: NonNullable<MenuConfigurationInput['menus']>;
  readonly categories: NonNullable<MenuConfigurationInput['categories']>;
  readonly items: MenuConfigurationInput['items'];
  readonly modifierGroups: NonNullable<MenuConfigurationInput['modifierGroups']>;
  readonly modifierItems: NonNullable<MenuConfigurationInput['modifierItems']>;
}

/** A kind of menu entity, named after its list in the configuration. */
export type KindName = keyof PostedConfiguration;

export interface Kind {
  readonly name: KindName;
  readonly entity: EntitySchema;
  readonly noun: string;
  /** The property that lists the external ids of an entity's children, and the kind of those children. */
  readonly children?: { readonly property: string; readonly kind: KindName };
  /** Values stored for properties that are absent or null in the input. */
  readonly defaults: Readonly<Record<string, unknown>>;
}

const definitions: Readonly<Record<KindName, Omit<Kind, 'name'>>> = {
  menus: {
    entity: MenuEntity,
    noun: 'menu',
    children: { property: 'categoryExternalIds', kind: 'categories' },
    defaults: { categoryExternalIds: [] },
  },
  categories: {
    entity: CategoryEntity,
    noun: 'category',
    children: { property: 'itemExternalIds', kind: 'items' },
    defaults: { itemExternalIds: [] },
  },
  items: {
    entity: MenuItemEntity,
    noun: 'item',
    children: { property: 'modifierExternalIds', kind: 'modifierGroups' },
    defaults: { modifierExternalIds: [], inStock: true },
  },
  modifierGroups: {
    entity: ModifierGroupEntity,
    noun: 'modifier group',
    children: { property: 'modifierItemExternalIds', kind: 'modifierItems' },
    defaults: { modifierItemExternalIds: [] },
  },
  modifierItems: { entity: ModifierItemEntity, noun: 'modifier item', defaults: { inStock: true } },
};

/** All kinds, parents before their children. */
export const menuKinds: readonly Kind[] = Object.entries(definitions).map(([name, definition]) => {
  return { name: name as KindName, ...definition };
});

/** A value of each kind, by its name. */
export function byKind<Value>(create: (kind: Kind) => Value): Readonly<Record<KindName, Value>> {
  return Object.fromEntries(menuKinds.map(kind => [kind.name, create(kind)])) as Record<KindName, Value>;
}

const kinds = byKind(kind => kind);

export const kindOf = (name: KindName): Kind => kinds[name];

/** The external ids of an entity's children; undefined where an element could not be parsed. */
export function childIdsOf({ children }: Kind, entity: object | undefined): readonly (string | undefined)[] {
  const values = entity as Readonly<Record<string, readonly (string | undefined)[] | null | undefined>> | undefined;
  return (children && values?.[children.property]) ?? [];
}

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
