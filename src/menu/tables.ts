import type { MetadataStorage } from '@mikro-orm/core';
import { prepared, type Statement } from '../statement.ts';
import { CategoryEntity, MenuEntity, MenuItemEntity, ModifierGroupEntity, ModifierItemEntity } from './entities.ts';

/** The five kinds, with the name of their list in a configuration. */
export const menuTables = [
  { list: 'modifierItems', entity: ModifierItemEntity },
  { list: 'modifierGroups', entity: ModifierGroupEntity },
  { list: 'items', entity: MenuItemEntity },
  { list: 'categories', entity: CategoryEntity },
  { list: 'menus', entity: MenuEntity },
] as const;

export type MenuTable = (typeof menuTables)[number];

export interface Column {
  readonly property: string;
  readonly name: string;
  readonly type: string;
}

/** The table of a kind and its columns, without those that identify a row. */
export function columnsOf(
  metadata: MetadataStorage,
  entity: MenuTable['entity'],
): { tableName: string; columns: Column[] } {
  const { tableName, props } = metadata.get(entity.meta.class);
  const columns = props
    .filter(prop => !['id', 'store', 'externalId'].includes(prop.name))
    .map(prop => ({ property: prop.name, name: String(prop.fieldNames[0]), type: String(prop.columnTypes[0]) }));
  return { tableName, columns };
}

/** A statement whose text is made of metadata, once. */
export function preparedFor(textOf: (metadata: MetadataStorage) => string): (metadata: MetadataStorage) => Statement {
  const known = new WeakMap<MetadataStorage, Statement>();
  return metadata => {
    const statement = known.get(metadata) ?? prepared(textOf(metadata));
    known.set(metadata, statement);
    return statement;
  };
}
