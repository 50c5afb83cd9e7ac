import { ApiKeyEntity, GrantEntity } from '../auth/entities.ts';
import {
  CategoryEntity,
  MenuEntity,
  MenuItemEntity,
  ModifierGroupEntity,
  ModifierItemEntity,
} from '../menu/entities.ts';
import { MerchantEntity } from '../merchant/entities.ts';
import { OrderCountEntity, OrderEntity, OrderRevisionEntity } from '../order/entities.ts';
import { DeletedStoreEntity, StoreEntity } from '../store/entities.ts';

export const entities = [
  MerchantEntity,
  StoreEntity,
  DeletedStoreEntity,
  MenuEntity,
  CategoryEntity,
  MenuItemEntity,
  ModifierGroupEntity,
  ModifierItemEntity,
  OrderEntity,
  OrderCountEntity,
  OrderRevisionEntity,
  ApiKeyEntity,
  GrantEntity,
];
