import { OperatorError } from '@carte/base/errors';
import type { MikroORM } from '@mikro-orm/postgresql';
import type { Config } from './config.ts';
import { startEmbedded } from './database/embedded.ts';
import { migrate } from './database/migrate.ts';
import { createOrm } from './orm.ts';

export interface Database {
  readonly orm: MikroORM;
  readonly embedded: boolean;
  close(): Promise<void>;
}

/** Opens the database of `DATABASE_URL`, or else the embedded one, and migrates it. */
export async function openDatabase(config: Config): Promise<Database> {
  const server = config.databaseUrl ? undefined : await startEmbedded({ dataFolder: config.dataFolder });
  const orm = createOrm(server?.connection ?? { url: config.databaseUrl ?? '' }, config);
  const close = async () => {
    await orm.close(true);
    await server?.stop();
  };
  try {
    await migrate(orm);
  } catch (error) {
    await close();
    throw error instanceof OperatorError ? error : unreachable(error);
  }
  return { orm, embedded: server !== undefined, close };
}

function unreachable(cause: unknown): Error {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new OperatorError(`The database cannot be used: ${reason}`, { cause });
}
