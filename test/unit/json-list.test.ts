import { runAtOnce } from '@carte/base/time-slice';
import { describe, expect, test } from 'vitest';
import { parseJsonList } from '../../src/database/json-list.ts';

const rows = Array.from({ length: 5000 }, (_, id) => ({ id, name: `line\n, \n "${id}"`, price: id / 8 }));
/** As `json_agg` writes rows. */
const aggregate = (list: readonly string[]) => `[${list.join(', \n ')}]`;

describe('parseJsonList', () => {
  test.each([0, 1, 2, 999, 5000])('returns %i rows as they are', count => {
    const list = rows.slice(0, count);
    expect(runAtOnce(parseJsonList(aggregate(list.map(row => JSON.stringify(row)))))).toEqual(list);
  });

  test('parses a long list in steps', () => {
    expect([...parseJsonList(aggregate(rows.map(row => JSON.stringify(row))))].length).toBeGreaterThan(3);
  });

  test('parses values with line breaks between their tokens', () => {
    const nested = rows.map(row => ({ ...row, nested: { first: 1, second: [1, 2] } }));
    const byHand = (row: object) => JSON.stringify(row).replaceAll(',"', ', \n "').replace('[1,2]', '[1, \n 2]');
    expect(runAtOnce(parseJsonList(aggregate(nested.map(byHand))))).toEqual(nested);
  });

  test('fails for what is no JSON', () => {
    expect(() => runAtOnce(parseJsonList(aggregate(rows.map(() => '{"id":}'.padEnd(100)))))).toThrow(SyntaxError);
  });
});
