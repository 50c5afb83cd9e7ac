import { type Cluster, until } from './cluster.ts';
import type { Node } from './node.ts';

/** The orders whose transactions the old leader committed after the new one had left its timeline, as its own WAL has it. */
export interface Tail {
  readonly orders: ReadonlySet<string>;
  /** Those that it had committed before: the new one must have them all. */
  readonly kept: ReadonlySet<string>;
}

export async function readTail(cluster: Cluster, old: Node, timeline: number): Promise<Tail> {
  const lines = await old.readLines("select xmin || ' ' || id from orders");
  const fork = await forkOf(cluster, timeline);
  const late = await old.committedFrom(timeline, fork);
  const rows = lines.map(line => line.split(' ', 2));
  const idsOf = (isLate: boolean) =>
    new Set(rows.filter(([xid = '']) => late.has(xid) === isLate).map(([, id = '']) => id));
  return { orders: idsOf(true), kept: idsOf(false) };
}

const history = `
  select pg_read_file('pg_wal/' || lpad(to_hex(timeline_id), 8, '0') || '.history') as text from pg_control_checkpoint()`;

/** The position at which the leader has left a timeline; it knows when the first checkpoint of its own is done. */
function forkOf(cluster: Cluster, timeline: number): Promise<string> {
  return until(`a leader that has left timeline ${timeline}`, async () => {
    const leader = await cluster.findLeader();
    const rows = (await leader?.query(history).catch(() => undefined)) ?? [];
    return new RegExp(`^${timeline}\\t(\\S+)`, 'm').exec(String(rows[0]?.text))?.[1];
  });
}
