import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { BusinessTypeInput } from '../generated/graph.ts';
import { merchantScope, scopeFilter } from '../scope.ts';

export const MerchantEntity = defineEntity({
  name: 'Merchant',
  tableName: 'merchant',
  filters: scopeFilter(merchantScope),
  indexes: [{ name: 'merchant_created', properties: ['createdAt', 'id'] }],
  properties: {
    id: p.text().primary().collation('C'),
    createdAt: p.datetime(3).defaultRaw('now()'),
    brandName: p.text(),
    businessType: p.json<BusinessTypeInput>().columnType('json').nullable(),
  },
});

export type Merchant = InferEntity<typeof MerchantEntity>;
