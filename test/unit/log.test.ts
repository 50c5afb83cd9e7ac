import { expect, test } from 'vitest';
import { loggerOptions } from '../../src/server/log.ts';

test('an error of JSON.parse is logged without the text that it quotes', () => {
  const options = loggerOptions('info');
  const serialize = typeof options === 'object' ? options.serializers?.err : undefined;
  try {
    JSON.parse('Ana Lima');
  } catch (error) {
    expect(String(error)).toContain('Ana');
    expect(serialize?.(error as never)).toEqual({
      type: 'SyntaxError',
      message: '',
      stack: expect.stringMatching(/^ +at /),
    });
  }
  expect.assertions(2);
});
