import type { MikroORM } from '@mikro-orm/postgresql';
import { inject } from 'vitest';

/** The address of a test's database, for programs that are told of it by DATABASE_URL. */
export function urlOf(orm: MikroORM): string {
  const { host, port, user } = inject('cluster');
  return `postgresql://${user}@localhost:${port}/${orm.config.get('dbName')}?host=${encodeURIComponent(host)}`;
}
