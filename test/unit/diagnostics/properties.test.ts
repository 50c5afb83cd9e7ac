import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatPath } from '../../../src/menu/diagnostics/messages.ts';
import { diagnoseAtOnce } from './menu-builder.ts';

describe('any configuration of the right shape', () => {
  const word = fc.constantFrom(
    '',
    ' ',
    'a',
    'b',
    '__proto__',
    'constructor',
    'MON',
    '10:00',
    '24:00',
    '🍲',
    'en',
    'x'.repeat(99),
  );
  const integer = fc.oneof(
    fc.integer({ min: -2, max: 3 }),
    fc.constantFrom(Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER),
  );
  const ids = fc.option(fc.array(word, { maxLength: 4 }));
  const name = fc.record({ translations: fc.dictionary(word, word, { maxKeys: 3 }) });
  const entity = { externalId: word, name, description: fc.option(name) };
  const flag = fc.boolean();
  const timePeriods = fc.array(fc.record({ startTime: word, endTime: word }), { maxLength: 3 });
  const configuration = fc.record({
    menus: fc.option(
      fc.array(
        fc.record({
          ...entity,
          availability: fc.array(fc.record({ dayOfWeek: word, timePeriods })),
          categoryExternalIds: ids,
        }),
      ),
    ),
    categories: fc.option(fc.array(fc.record({ ...entity, itemExternalIds: ids }))),
    items: fc.array(
      fc.record({
        ...entity,
        price: integer,
        tax: integer,
        sellSeparately: flag,
        inStock: fc.option(flag),
        modifierGroupExternalIds: ids,
      }),
    ),
    modifierGroups: fc.array(
      fc.record({
        ...entity,
        type: word,
        groupMin: integer,
        groupMax: integer,
        chargeAfter: integer,
        modifierItemExternalIds: ids,
      }),
    ),
    modifierItems: fc.array(
      fc.record({
        ...entity,
        priceChange: integer,
        taxChange: integer,
        minQuantity: integer,
        maxQuantity: integer,
        defaultQuantity: integer,
        itemExternalId: fc.option(word),
      }),
    ),
  });

  test('is diagnosed in full sentences, deterministically, each finding once', () => {
    fc.assert(
      fc.property(configuration, given => {
        const diagnostics = diagnoseAtOnce(given);
        for (const { message } of diagnostics) expect(message).toMatch(/^[A-Z].*\.$/);
        const findings = diagnostics.map(({ code, path }) => `${code} ${formatPath(path)}`);
        expect(new Set(findings).size).toBe(findings.length);
        expect(diagnoseAtOnce(structuredClone(given))).toEqual(diagnostics);
      }),
    );
  });
});
