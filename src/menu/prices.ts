import { compileChange, createFieldChange } from './field-changes.ts';

/** Changes the amounts of single items and modifier items. */
export const changePrices = createFieldChange(
  'PRICES',
  compileChange({ properties: { items: ['price', 'tax'], modifierItems: ['priceChange', 'taxChange'] } }),
);
