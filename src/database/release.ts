import type { PoolClient } from 'pg';

type Release = (error?: Error | boolean) => void;

/**
 * Releases a client to the pool when its connection ends, and the pool removes it: Kysely's controlled transaction releases none
 * when begin, commit or rollback fails (kysely-org/kysely#1990). A second release by its holder does nothing.
 */
export function releaseWhenOver(client: PoolClient): void {
  let release: Release = () => {};
  Object.defineProperty(client, 'release', {
    get: () => release,
    // The pool assigns a new one at each checkout.
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
