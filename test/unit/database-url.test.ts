import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { parseDatabaseUrl } from '../../src/database/database-url.ts';

const local = { host: 'localhost', port: 5432 };

describe('parseDatabaseUrl', () => {
  test.each([
    ['postgresql://carte@db/carte', [{ host: 'db', port: 5432 }], 'postgresql://carte@db/carte'],
    ['postgresql://u:p@ss@db/carte', [{ host: 'db', port: 5432 }], 'postgresql://u:p@ss@db/carte'],
    ['postgresql://db/carte?application_name=x', [{ host: 'db', port: 5432 }], 'postgresql://db:5432/carte'],
    [
      'postgres://db:6432/carte?sslmode=require',
      [{ host: 'db', port: 6432 }],
      'postgres://db:6432/carte?sslmode=require',
    ],
    [
      'postgresql://u:p%40ss@a:1,b:2/carte?target_session_attrs=read-write',
      [
        { host: 'a', port: 1 },
        { host: 'b', port: 2 },
      ],
      'postgresql://u:p%40ss@a:1/carte',
    ],
    [
      'postgresql://u@[::1]:5433,a/carte',
      [
        { host: '::1', port: 5433 },
        { host: 'a', port: 5432 },
      ],
      'postgresql://u@[::1]:5433/carte',
    ],
    [
      'postgresql://u@/carte?host=a,b&port=7',
      [
        { host: 'a', port: 7 },
        { host: 'b', port: 7 },
      ],
      'postgresql://u@a:7/carte',
    ],
    [
      'postgresql://u@/carte?host=/var/run/postgresql',
      [{ host: '/var/run/postgresql', port: 5432 }],
      'postgresql://u@localhost:5432/carte?host=%2Fvar%2Frun%2Fpostgresql',
    ],
    ['postgresql:///carte', [local], 'postgresql:///carte'],
  ])('%s', (text, hosts, url) => {
    expect(parseDatabaseUrl(text)).toMatchObject({ hosts, url });
  });

  test.each(['mysql://db/carte', 'postgresql://a:99999/carte', 'postgresql://a:1:2/carte', 'db', ''])(
    '"%s" is not a URL of PostgreSQL',
    text => {
      expect(parseDatabaseUrl(text)).toBeUndefined();
    },
  );
});

test('DATABASE_URL must not exclude the primary', () => {
  const DATABASE_URL = 'postgresql://a,b/carte?target_session_attrs=standby';
  expect(() => readConfig({ DATABASE_URL })).toThrow(
    'DATABASE_URL has a target_session_attrs that excludes the primary; it must be read-write, primary or any',
  );
});
