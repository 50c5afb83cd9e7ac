import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { reachOfMerchants } from '../reach.ts';

export interface BusinessType {
  readonly name: string;
}

export const MerchantEntity = defineEntity({
  name: 'Merchant',
  tableName: 'merchant',
  filters: reachOfMerchants,
  indexes: [{ name: 'merchant_created', properties: ['createdAt', 'id'] }],
  properties: {
    id: p.text().primary().collation('C'),
    createdAt: p.datetime(3).defaultRaw('now()'),
    brandName: p.text(),
    businessType: p.json<BusinessType>().columnType('json').nullable(),
  },
});

export type Merchant = InferEntity<typeof MerchantEntity>;
