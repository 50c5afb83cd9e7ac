import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { placeOf } from '../../../src/menu/diagnostics/place.ts';
import { diagnose } from '../../../src/menu/diagnostics.ts';

describe('anything that the shape allows', () => {
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
  const whole = fc.oneof(
    fc.integer({ min: -2, max: 3 }),
    fc.constantFrom(Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER),
  );
  const ids = fc.option(fc.array(word, { maxLength: 4 }));
  const name = fc.record({ translations: fc.dictionary(word, word, { maxKeys: 3 }) });
  const about = { externalId: word, name, description: fc.option(name) };
  const flag = fc.boolean();
  const timePeriods = fc.array(fc.record({ startTime: word, endTime: word }), { maxLength: 3 });
  const configuration = fc.record({
    menus: fc.option(
      fc.array(
        fc.record({
          ...about,
          availability: fc.array(fc.record({ dayOfWeek: word, timePeriods })),
          categoryExternalIds: ids,
        }),
      ),
    ),
    categories: fc.option(fc.array(fc.record({ ...about, itemExternalIds: ids }))),
    items: fc.array(
      fc.record({
        ...about,
        price: whole,
        tax: whole,
        sellSeparately: flag,
        inStock: fc.option(flag),
        modifierExternalIds: ids,
      }),
    ),
    modifierGroups: fc.array(
      fc.record({ ...about, groupMin: whole, groupMax: whole, chargeAfter: whole, modifierItemExternalIds: ids }),
    ),
    modifierItems: fc.array(
      fc.record({
        ...about,
        priceChange: whole,
        taxChange: whole,
        minQuantity: whole,
        maxQuantity: whole,
        defaultQuantity: whole,
        menuItemExternalId: fc.option(word),
      }),
    ),
  });

  test('is told of in sentences, each error once', () => {
    fc.assert(
      fc.property(configuration, given => {
        const diagnostics = diagnose(given);
        for (const { message } of diagnostics) expect(message).toMatch(/^[A-Z].*\.$/);
        const places = diagnostics.map(({ code, path }) => `${code} ${placeOf(path)}`);
        expect(new Set(places).size).toBe(places.length);
        expect(diagnose(structuredClone(given))).toEqual(diagnostics);
      }),
    );
  });
});
