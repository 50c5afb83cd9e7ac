import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { DietaryLabel, MultilingualTextInput } from '../generated/graph.ts';
import { StoreEntity } from '../store/entities.ts';
import type { Availability } from './availability.ts';

export type MultilingualText = MultilingualTextInput;

/** Properties of all five kinds. References are ordered external ids on the row, without foreign keys: `validate.ts` checks them. */
const shared = {
  // A replacement draws from the sequence only for new external ids.
  id: p.bigint('number').primary().autoincrement(),
  store: () => p.manyToOne(StoreEntity).mapToPk().deleteRule('cascade').index(false),
  externalId: p.text().collation('C'),
  position: p.integer(),
};

const text = () => p.json<MultilingualText>().columnType('json');
const externalIds = () => p.array().columnType('text[]').$type<readonly string[]>();

/** Defines the entity of a kind with the properties that only this kind has. */
const defineMenuEntity = <Name extends string, Properties extends Record<string, object>>(
  name: Name,
  tableName: string,
  properties: Properties,
) =>
  defineEntity({
    name,
    tableName,
    uniques: [{ properties: ['store', 'externalId'] }],
    properties: { ...shared, ...properties },
  });

export const MenuEntity = defineMenuEntity('Menu', 'menu', {
  name: text().nullable(),
  availability: p.json<readonly Availability[]>().columnType('json'),
  categoryExternalIds: externalIds(),
});

export const CategoryEntity = defineMenuEntity('Category', 'category', {
  name: text(),
  description: text().nullable(),
  itemExternalIds: externalIds(),
});

export const MenuItemEntity = defineMenuEntity('MenuItem', 'menu_item', {
  name: text(),
  price: p.bigint('number'),
  tax: p.bigint('number'),
  inStock: p.boolean(),
  sellSeparately: p.boolean(),
  description: text().nullable(),
  ingredients: p.text().nullable(),
  allergensText: p.text().fieldName('allergens').nullable(),
  dietaryLabels: p.array().columnType('text[]').$type<readonly DietaryLabel[]>().nullable(),
  preparationMinutes: p.bigint('number').fieldName('prep_time').nullable(),
  alcoholByVolume: p.double().$type<number>().nullable(),
  preparationType: p.text().fieldName('prep_type').nullable(),
  modifierGroupExternalIds: externalIds().fieldName('modifier_external_ids'),
});

export const ModifierGroupEntity = defineMenuEntity('ModifierGroup', 'modifier_group', {
  type: p.text(),
  name: text(),
  groupMax: p.bigint('number'),
  groupMin: p.bigint('number'),
  chargeAfter: p.bigint('number'),
  description: text().nullable(),
  modifierItemExternalIds: externalIds(),
});

export const ModifierItemEntity = defineMenuEntity('ModifierItem', 'modifier_item', {
  name: text(),
  priceChange: p.bigint('number'),
  taxChange: p.bigint('number'),
  inStock: p.boolean(),
  minQuantity: p.bigint('number'),
  maxQuantity: p.bigint('number'),
  defaultQuantity: p.bigint('number'),
  itemExternalId: p.text().fieldName('menu_item_external_id').nullable(),
  description: text().nullable(),
});

export type Menu = InferEntity<typeof MenuEntity>;
export type Category = InferEntity<typeof CategoryEntity>;
export type MenuItem = InferEntity<typeof MenuItemEntity>;
export type ModifierGroup = InferEntity<typeof ModifierGroupEntity>;
export type ModifierItem = InferEntity<typeof ModifierItemEntity>;
