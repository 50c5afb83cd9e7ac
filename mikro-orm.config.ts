import { defineConfig } from '@mikro-orm/postgresql';
import { ormOptions } from './src/orm.ts';

/** For MikroORM's own command line; docs/architecture.md#add-a-migration shows how it makes a migration. */
export default defineConfig(ormOptions({ url: process.env.DATABASE_URL ?? 'postgresql://localhost/carte' }));
