import { snakeCase, toSnakePath, toSnakeValue } from '@carte/operations/input/names';
import { describe, expect, test } from 'vitest';
import { errorsIn, readValid, typeOf } from '../support/reading.ts';

describe('text of a URL', () => {
  const text = { source: 'text' } as const;

  test.each([
    ['Int', '5', 5],
    ['Int', '+5', 5],
    ['Int', ' 5', 5],
    ['Int', '-0', -0],
    ['Int', '007', 7],
    ['Int', '5.0', 5],
    ['Float', '1.5', 1.5],
    ['Boolean', 'TRUE', true],
    ['Boolean', '0', false],
    ['String', '5', '5'],
    ['[Size!]', 'SMALL', ['SMALL']],
    ['[Size!]', 'SMALL, LARGE', ['SMALL', 'LARGE']],
    ['DateTime', '2026-03-01T18:30:00+02:00', new Date('2026-03-01T16:30:00.000Z')],
    ['DateTime', '2026-03-01T18:30:00 02:00', new Date('2026-03-01T16:30:00.000Z')],
    ['DateTime', '2026-03-01T18:30:00.5 0200', new Date('2026-03-01T16:30:00.500Z')],
    ['DateTime', '2026-03-01 18:30', new Date('2026-03-01T18:30:00.000Z')],
    ['DateTime', '2026-03-01 18:30 02', new Date('2026-03-01T16:30:00.000Z')],
  ])('of %s: %j is read as %j', (type, value, result) => {
    expect(readValid(type, value, text)).toEqual(result);
  });

  test.each([
    ['Int', '', 'int_parsing'],
    ['Int', 'x', 'int_parsing'],
    ['Int', '1.5', 'int_parsing'],
    ['Int', '1e3', 'int_parsing'],
    ['Int', '0x10', 'int_parsing'],
    ['Int', '9'.repeat(400), 'finite_number'],
    ['Int', '3000000000', 'less_than_equal'],
    ['Float', '', 'float_parsing'],
    ['Boolean', 'maybe', 'bool_parsing'],
    ['DateTime', '', 'datetime_parsing'],
    ['String', 'a\0', 'value_error'],
  ])('of %s: %j is rejected with %s', (type, value, code) => {
    expect(errorsIn(type, value, text)).toMatchObject([{ loc: ['body'], type: code }]);
  });

  test('an error in a list of several values has the index, in a single value none', () => {
    expect(errorsIn('[Size!]', 'SMALL,HUGE', text)).toMatchObject([{ loc: ['body', 1], type: 'enum' }]);
    expect(errorsIn('[Size!]', 'HUGE', text)).toMatchObject([{ loc: ['body'], type: 'enum' }]);
  });
});

describe('names', () => {
  test.each([
    ['id', 'id'],
    ['externalId', 'external_id'],
    ['modifierItemExternalIds', 'modifier_item_external_ids'],
    ['addressLine1', 'address_line_1'],
  ])('%s is %s in /v1', (name, snake) => {
    expect(snakeCase(name)).toBe(snake);
  });

  test('indexes and the keys of maps in a path are unchanged', () => {
    const path = ['sides', 0, 'name', 'translations', 'enGB'];
    expect(toSnakePath(typeOf('Dish'), path)).toEqual(['sides', 0, 'name', 'translations', 'enGB']);
    expect(toSnakePath(typeOf('[Dish!]!'), [3, 'externalId'])).toEqual([3, 'external_id']);
  });

  test('a field has the name that @nameInBodies gives it, and a deprecated one none', () => {
    const choice = { groupId: 'a', from: [{ groupId: 'b' }] };
    const body = { group: 'a', chosen_from: [{ group: 'b' }] };
    expect(readValid('Choice', body, { unknownFields: 'forbid' })).toEqual(choice);
    expect(toSnakeValue(typeOf('Choice'), choice)).toEqual(body);
    expect(toSnakePath(typeOf('Choice'), ['from', 0, 'groupId'])).toEqual(['chosen_from', 0, 'group']);
    expect(errorsIn('Choice', { old_group_id: 'a' }, { unknownFields: 'forbid' })).toMatchObject([
      { loc: ['body', 'group'], type: 'missing' },
      { loc: ['body', 'old_group_id'], type: 'extra_forbidden' },
    ]);
  });
});
