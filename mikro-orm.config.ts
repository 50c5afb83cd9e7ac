import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { defineConfig } from '@mikro-orm/postgresql';
import { readConfig } from './src/config.ts';
import { ormOptions } from './src/orm.ts';

const { databaseUrl, dataFolder } = readConfig(process.env);
const socket = resolve(dataFolder, 'socket');
if (databaseUrl === undefined && !existsSync(socket)) {
  throw new Error('The embedded database is not running: run `npm start` meanwhile, or set DATABASE_URL.');
}

/** For MikroORM's own command line; CONTRIBUTING.md#add-a-migration shows how it makes a migration. */
export default defineConfig(ormOptions({ url: databaseUrl ?? `postgresql://postgres@/carte?host=${socket}` }));
