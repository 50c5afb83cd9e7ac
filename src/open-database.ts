import { OperatorError } from '@carte/base/errors';
import { type EmbeddedServer, startEmbedded } from '@carte/embedded-postgres';
import type { Config } from './config.ts';
import { migrate } from './database/migrate.ts';
import { createOrm } from './orm.ts';

/** Opens the database of `DATABASE_URL`, or else the embedded one, and migrates it. */
export async function openDatabase(config: Config) {
  const server = config.databaseUrl ? undefined : await startOwn(config.dataFolder);
  const orm = createOrm(server?.connection ?? { url: config.databaseUrl ?? '' }, config);
  const close = async () => {
    await orm.close(true);
    await server?.stop();
  };
  try {
    await migrate(orm);
  } catch (error) {
    await close();
    if (error instanceof OperatorError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new OperatorError(`The database cannot be used: ${reason}`, { cause: error });
  }
  return { orm, embedded: server !== undefined, close };
}

async function startOwn(dataFolder: string): Promise<EmbeddedServer> {
  try {
    return await startEmbedded({ dataFolder, database: 'carte' });
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    const message = `${error.message} CARTE_DATA is the data folder, DATABASE_URL the address of another server.`;
    throw new OperatorError(message, { cause: error });
  }
}
