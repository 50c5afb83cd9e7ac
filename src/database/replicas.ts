import { SingleFlight } from '../scheduling/batch-schedule.ts';
import type { Query } from './query.ts';
import {
  insertStartStatement,
  type PrimaryPosition,
  Replica,
  type ReplicaOptions,
  readPrimaryPosition,
} from './replica.ts';

/**
 * Where a read went: to a replica; to the primary, since no replica is usable; or to the primary, since the replicas had not
 * replayed what it shows (behind), showed what it does not show yet (ahead), or failed.
 */
export type Target = 'replica' | 'primary' | 'behind' | 'ahead' | 'failed';

export type Replicas = ReturnType<typeof openReplicas>;

interface ReplicaConfig extends Pick<ReplicaOptions, 'poolSize' | 'prepare' | 'statementSeconds'> {
  readonly replicaUrls: readonly string[];
}

/** The number is that of the replica in the setting, from 1. */
type ReplicaChange = Parameters<ReplicaOptions['onChange']>[0] & { readonly replica: number };

export function openReplicas(
  primary: Query,
  { replicaUrls, ...config }: ReplicaConfig,
  onChange: (change: ReplicaChange) => void,
) {
  const position = new SingleFlight(() => readPrimaryPosition(primary));
  let recorded: { readonly start: string; readonly done: Promise<unknown> } | undefined;
  const primaryStart = async () => {
    const { start } = await position.get();
    if (recorded?.start !== start) recorded = { start, done: primary(insertStartStatement, [start]) };
    const { done } = recorded;
    await done.catch(error => {
      recorded = undefined;
      throw error;
    });
    return start;
  };
  const list = replicaUrls.map((url, index) => {
    const report: ReplicaOptions['onChange'] = change => onChange({ replica: index + 1, ...change });
    return new Replica({ url, ...config, primaryStart, onChange: report });
  });
  /**
   * Whether the primary shows every transaction that a replica's snapshot may have shown. A replica shows a commit a moment before
   * the primary does, and much earlier where commits wait for synchronous replicas.
   */
  const isVisibleOnPrimary = async (xmax: bigint, before: PrimaryPosition) => {
    if (xmax <= before.xmin) return true;
    const { xmin, start } = await position.get();
    return xmax <= xmin && start === before.start;
  };
  const reads: Record<Target, number> = { replica: 0, primary: 0, behind: 0, ahead: 0, failed: 0 };
  let turn = 0;
  return {
    /** In the order of the setting. */
    list,
    /** Number of reads by target. */
    reads,
    /** Reads from a replica that shows the same as the primary, or else from the primary. */
    async query<Row>(text: string, values: readonly unknown[], rowMode?: 'array') {
      const select = (on: Query) => on<Row>(text, values, rowMode);
      const usable = list.filter(replica => replica.isUsable);
      if (usable.length === 0) {
        reads.primary++;
        return select(primary);
      }
      // Round robin; the others follow as fallbacks.
      const first = turn++ % usable.length;
      const before = await position.get();
      let target: Target = 'failed';
      for (const replica of [...usable.slice(first), ...usable.slice(0, first)]) {
        try {
          const result = await replica.read(before, select);
          if (result && (await isVisibleOnPrimary(result.xmax, before))) {
            reads.replica++;
            return result.rows;
          }
          target = result ? 'ahead' : 'behind';
        } catch {
          // The primary runs the statement again, and reports the error if it is the statement's.
          target = 'failed';
        }
      }
      reads[target]++;
      return select(primary);
    },
    /** Starts probing; no replica is usable before. */
    start() {
      for (const replica of list) void replica.watch();
    },
    close() {
      for (const replica of list) replica.close();
    },
  };
}
