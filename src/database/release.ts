import type { PoolClient } from 'pg';

type Release = (error?: Error | boolean) => void;

/**
 * Gives a connection back to the pool when it is over, and the pool drops it: Kysely keeps that of a transaction which
 * could be neither begun nor rolled back (kysely-org/kysely#1990). When its holder gives it back too, nothing happens.
 */
export function releaseWhenOver(client: PoolClient): void {
  let release: Release = () => {};
  Object.defineProperty(client, 'release', {
    get: () => release,
    // The pool sets another one each time that it lends the connection.
    set(given: Release) {
      release = onlyOnce(given);
    },
  });
  client.once('end', () => release(true));
}

function onlyOnce(release: Release): Release {
  let isDone = false;
  return error => {
    if (isDone) return;
    isDone = true;
    release(error);
  };
}
