import { parseBody } from '@carte/operations/arguments';
import { HttpError } from '@carte/operations/errors';
import { describe, expect, test } from 'vitest';

async function parseOrDetail(bytes: Buffer): Promise<unknown> {
  try {
    return await parseBody(bytes);
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    expect(error.status).toBe(422);
    return error.detail;
  }
}

describe('invalid JSON is reported at the position that FastAPI reports', () => {
  test.each([
    ['{"a": x}', 6],
    ['[,]', 1],
    ['{"a":}', 5],
    ['nulL', 0],
    ['[1,]', 3],
    ['{"a":1,}', 7],
    ['[1 2]', 3],
    ['  ', 2],
    ['abc', 0],
    ['{"a":tru}', 5],
    ['[1,2', 4],
    ['01', 1],
    ['[1]]', 3],
    ['NaN', 0],
    ['{"é": [], "b\\"": [true, false ,null, -1, x]}', 41],
    ['[tr', 1],
    ['["abc', 1],
    ['["a\\x"]', 3],
    ['["a\\u12"]', 4],
    ['["a\nb"]', 3],
    ['[1.]', 2],
    ['[-]', 1],
    ['["𝄞", x]', 6],
    ['{"a" 1}', 5],
    ['["\\u0061', 3],
    ['[[], {}, {"a":[]}, }', 19],
  ])('%s: %i', async (text, position) => {
    expect(await parseOrDetail(Buffer.from(text))).toEqual([
      { loc: ['body', position], msg: 'JSON decode error', type: 'json_invalid' },
    ]);
  });

  test('of the first byte that is not UTF-8', async () => {
    expect(await parseOrDetail(Buffer.from([0x22, 0x61, 0xff, 0x22]))).toEqual([
      { loc: ['body', 2], msg: 'JSON decode error, not UTF-8', type: 'json_invalid' },
    ]);
  });

  test('of the bracket that nests deeper than 100 levels', async () => {
    expect(await parseOrDetail(Buffer.from(`${'['.repeat(100)}${']'.repeat(100)}`))).toBeInstanceOf(Array);
    expect(await parseOrDetail(Buffer.from('[{"a":'.repeat(60)))).toEqual([
      { loc: ['body', 300], msg: 'JSON decode error, nested deeper than 100 levels', type: 'json_invalid' },
    ]);
  });
});

test.each(['[', '{"a":'])('%s, two million times, is rejected in 200 ms of CPU time', async text => {
  const bytes = Buffer.from(text.repeat(2_000_000));
  const started = process.cpuUsage();
  expect(await parseOrDetail(bytes)).toMatchObject([{ type: 'json_invalid' }]);
  expect(process.cpuUsage(started).user).toBeLessThan(200_000);
});

test('brackets in strings do not count as nesting', async () => {
  const text = `"${'[{'.repeat(200)}\\"[\\\\"`;
  expect(await parseBody(Buffer.from(text))).toBe(JSON.parse(text));
});

test('a byte order mark is ignored', async () => {
  expect(await parseBody(Buffer.from('\uFEFF{"a": 1}'))).toEqual({ a: 1 });
});
