import { defineConfig } from '@mikro-orm/postgresql';
import { ormOptions } from './src/database/orm.ts';

/** For MikroORM's own command line, e.g. `npx mikro-orm debug`. */
export default defineConfig(ormOptions({ url: process.env.DATABASE_URL ?? 'postgresql://localhost/carte' }));
