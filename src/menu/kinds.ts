import type { EntityManager, EntitySchema } from '@mikro-orm/postgresql';
import type { PostedConfiguration } from './check.ts';
import { CategoryEntity, MenuEntity, MenuItemEntity, ModifierGroupEntity, ModifierItemEntity } from './entities.ts';

/** The kinds of entities of a configuration, by the names of their lists. */
export type KindName = keyof PostedConfiguration;

interface Kind {
  readonly entity: EntitySchema;
  readonly noun: string;
  /** The property with the external ids of what stands below an entity in the tree, and the kind that they are of. */
  readonly links?: { readonly property: string; readonly to: KindName };
  /** What is stored where nothing, or null, was posted. */
  readonly defaults: Readonly<Record<string, unknown>>;
}

/** From the root of the tree to its leaves. A kind that is missing here does not compile. */
const kinds: Readonly<Record<KindName, Kind>> = {
  menus: {
    entity: MenuEntity,
    noun: 'menu',
    links: { property: 'categoryExternalIds', to: 'categories' },
    defaults: { categoryExternalIds: [] },
  },
  categories: {
    entity: CategoryEntity,
    noun: 'category',
    links: { property: 'itemExternalIds', to: 'items' },
    defaults: { itemExternalIds: [] },
  },
  items: {
    entity: MenuItemEntity,
    noun: 'item',
    links: { property: 'modifierExternalIds', to: 'modifierGroups' },
    defaults: { modifierExternalIds: [], inStock: true },
  },
  modifierGroups: {
    entity: ModifierGroupEntity,
    noun: 'modifier group',
    links: { property: 'modifierItemExternalIds', to: 'modifierItems' },
    defaults: { modifierItemExternalIds: [] },
  },
  modifierItems: { entity: ModifierItemEntity, noun: 'modifier item', defaults: { inStock: true } },
};

export type NamedKind = Kind & { readonly name: KindName };

export const menuKinds: readonly NamedKind[] = Object.entries(kinds).map(([name, kind]) => {
  return { name: name as KindName, ...kind };
});

export const nounOf = (name: KindName): string => kinds[name].noun;

/** The external ids that an entity lists, of which some may not have been readable. */
export function linkedIds({ links }: Kind, entity: object | undefined): readonly (string | undefined)[] {
  const values = entity as Readonly<Record<string, readonly (string | undefined)[] | null | undefined>> | undefined;
  return (links && values?.[links.property]) ?? [];
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

/** Builds a text from metadata once for each ORM. */
export function compiledOnce(build: (em: EntityManager) => string): (em: EntityManager) => string {
  const texts = new WeakMap<object, string>();
  return em => {
    const text = texts.get(em.getMetadata()) ?? build(em);
    texts.set(em.getMetadata(), text);
    return text;
  };
}
