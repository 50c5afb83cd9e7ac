import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stringifyResponse } from '../../src/graphql/stringify-response.ts';
import { countTurns } from '../support/turns.ts';

const plain = (value: unknown) => `${JSON.stringify(value)}\n`;

describe('stringifyResponse', () => {
  test('writes a small response at once', () => {
    expect(stringifyResponse({ data: null })).toBe('{"data":null}\n');
  });

  test('writes any response as JSON.stringify does', async () => {
    const leaf = fc.oneof(fc.jsonValue(), fc.constant(undefined), fc.date({ noInvalidDate: true }), fc.constant(NaN));
    const repeated = fc
      .tuple(leaf, fc.integer({ min: 0, max: 1200 }))
      .map(([value, length]) => Array(length).fill(value));
    const nested = fc.dictionary(fc.string(), fc.oneof(leaf, repeated, fc.array(repeated, { maxLength: 3 })));
    const property = fc.asyncProperty(nested, async data => {
      expect(await stringifyResponse({ data })).toBe(plain({ data }));
    });
    await fc.assert(property, { numRuns: 100 });
  });

  test('writes a large response in many turns of the event loop, with all that is in it', async () => {
    const raw = JSON.rawJSON('1.50');
    const element = (id: number) =>
      Object.assign(Object.create(null), { id, name: `"Nata" ${id}`, missing: undefined, raw });
    const data = {
      list: Array.from({ length: 60_000 }, (_, id) => ({ id, elements: [element(id), null, element(-id)] })),
    };
    const { result, turns } = await countTurns(() => stringifyResponse({ data }));
    expect(result).toBe(plain({ data }));
    expect(turns).toBeGreaterThan(5);
  });

  test('fails a response longer than the longest string', async () => {
    // Throws a RangeError, as V8 does beyond 512 MB.
    const endless = { toJSON: () => new Array(2 ** 32) };
    const tooLarge = { errors: [{ extensions: { code: 'RESPONSE_TOO_LARGE' } }] };
    expect(JSON.parse(await stringifyResponse({ data: endless }))).toMatchObject(tooLarge);
    const large = Array.from({ length: 100_000 }, (_, id) => ({ id }));
    expect(JSON.parse(await stringifyResponse({ data: { large, endless } }))).toMatchObject(tooLarge);
  });
});
