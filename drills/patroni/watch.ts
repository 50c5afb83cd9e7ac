import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster } from './cluster.ts';
import type { NodeName } from './network.ts';

const pauseMs = 500;

/** Looks at the servers themselves, not at what Patroni says of them: no two may take writes at once. */
export class Watch {
  /** Two servers that took writes at the same time. */
  readonly problems: string[] = [];
  readonly #loops: Promise<void>[];
  /** When each server was seen to take writes: the last time, by the begin of the query. */
  readonly #writable = new Map<NodeName, { first: number; last: number }>();
  #isOver = false;

  constructor({ nodes }: Cluster) {
    this.#loops = nodes.map(async node => {
      while (!this.#isOver) {
        const begun = performance.now();
        const rows = await node.query('select pg_is_in_recovery() as standby').catch(() => []);
        if (rows[0]?.standby === false) this.#see(node.name, begun, performance.now());
        else if (rows[0]) this.#writable.delete(node.name);
        await sleep(pauseMs);
      }
    });
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#loops);
  }

  #see(name: NodeName, begun: number, ended: number): void {
    const first = this.#writable.get(name)?.first ?? ended;
    this.#writable.set(name, { first, last: begun });
    for (const [other, seen] of this.#writable) {
      // Both after each was first seen: a primary that has stopped meanwhile was not seen again.
      if (other !== name && seen.last > first && begun > seen.first)
        this.problems.push(`${name} and ${other} both took writes`);
    }
  }
}
