import { BaselineIndexesMigration, BaselineMigration } from './1.0-baseline.ts';

/** In execution order; a released migration never changes. Functions and triggers do, in schema/sql, without a migration. */
export const migrations = [
  { name: '1.0-baseline', class: BaselineMigration },
  { name: '1.0-baseline-indexes', class: BaselineIndexesMigration },
];
