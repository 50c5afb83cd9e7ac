import { InvalidInput, Unavailable } from '@carte/base/errors';
import { describe, expect, test } from 'vitest';
import { toUnavailable } from '../../src/database/errors.ts';

const coded = (code: string, fields: object = {}) =>
  Object.assign(new Error(`failed with ${code}`), { code, ...fields });

describe('Errors that mean that the database is unavailable', () => {
  test.each([
    '08006',
    '08P01',
    '28P01',
    '53300',
    '57P01',
    '57P02',
    '57P03',
    '58030',
    '25006',
    '3D000',
    '40001',
    '40P01',
  ])('SQLSTATE %s', state => {
    const cause = coded(state);
    const error = toUnavailable(cause);
    expect(error).toBeInstanceOf(Unavailable);
    expect(error).toMatchObject({
      message: 'The database does not answer at the moment.',
      cause,
      retryAfterSeconds: 5,
    });
  });

  test.each([
    coded('ECONNREFUSED', { syscall: 'connect' }),
    coded('ENOENT', { syscall: 'connect' }),
    coded('ECONNRESET', { syscall: 'read' }),
    coded('EPIPE', { syscall: 'write' }),
    coded('EAI_AGAIN', { syscall: 'getaddrinfo' }),
    new AggregateError([coded('ECONNREFUSED', { syscall: 'connect' })]),
    new Error('Connection terminated unexpectedly'),
    new Error('timeout exceeded when trying to connect'),
    new Error('Client has encountered a connection error and is not queryable'),
    new Error('wrapped', { cause: coded('57P01') }),
  ])('%s', error => {
    expect(toUnavailable(error)).toBeInstanceOf(Unavailable);
  });

  test('a cancelled statement, with a message of its own', () => {
    expect(toUnavailable(coded('57014'))?.message).toBe('The database took too long to answer.');
  });
});

describe('Errors that do not', () => {
  test.each([
    coded('23505'),
    coded('42P01'),
    coded('42601'),
    coded('22P05'),
    coded('ECONNRESET'),
    coded('ENOENT', { syscall: 'open' }),
    new TypeError('undefined is not a function'),
    new InvalidInput([]),
    'a text',
    undefined,
  ])('%s', error => {
    expect(toUnavailable(error)).toBeUndefined();
  });
});
