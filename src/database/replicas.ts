import { SingleFlight } from '../cache/single-flight.ts';
import type { Config } from '../config.ts';
import type { Query } from './query.ts';
import { beginning, type Position, positionOf, stateOf } from './replicas/position.ts';
import { Replica, type Statement } from './replicas/replica.ts';

/**
 * Who answered a read: a replica; the primary, because no replica was worth asking or could be; or the primary, because
 * the replicas were behind it, were ahead of what it shows, or failed.
 */
const targets = ['replica', 'primary', 'behind', 'ahead', 'failed'] as const;
export type Target = (typeof targets)[number];

export interface Replicas {
  /** Asks a replica where one shows what the primary does, and the primary otherwise. */
  readonly query: Query;
  /** In the order of the setting. */
  readonly list: readonly Pick<Replica, 'isUsable' | 'behindSeconds'>[];
  /** How often each has answered. */
  readonly answered: Readonly<Record<Target, number>>;
  /** Until then no replica is in use. */
  start(): void;
  close(): void;
}

export type ReplicaConfig = Pick<Config, 'replicaUrls' | 'poolSize' | 'prepare' | 'statementSeconds'>;

export interface ReplicaChange {
  /** Its place in the setting, from 1. */
  readonly replica: number;
  readonly isUsable: boolean;
  readonly reason?: unknown;
}

export function openReplicas(
  primary: Query,
  { replicaUrls, ...config }: ReplicaConfig,
  onChange: (change: ReplicaChange) => void,
): Replicas {
  let known: string | undefined;
  const identity = async () => {
    known ??= (await stateOf(primary, beginning)).identity;
    return known;
  };
  const list = replicaUrls.map((url, index) => {
    const tell = (change: Omit<ReplicaChange, 'replica'>) => onChange({ replica: index + 1, ...change });
    return new Replica({ url, ...config, identity, onChange: tell });
  });
  const position = new SingleFlight(() => positionOf(primary));
  const answered: Record<Target, number> = { replica: 0, primary: 0, behind: 0, ahead: 0, failed: 0 };
  let turn = 0;
  return {
    list,
    answered,
    async query<Row>(text: string, values: readonly unknown[], rowMode?: 'array') {
      const usable = list.filter(replica => replica.isUsable);
      const first = usable.length > 0 ? turn++ % usable.length : 0;
      const inTurn = [...usable.slice(first), ...usable.slice(0, first)];
      const { rows, target } = await askReplicas<Row>(position, inTurn, { text, values, rowMode });
      answered[target]++;
      return rows ?? primary<Row>(text, values, rowMode);
    },
    start() {
      for (const replica of list) void replica.watch();
    },
    close() {
      for (const replica of list) replica.close();
    },
  };
}

/** The rows of the first replica that will do; none where the primary must be asked, and why. */
async function askReplicas<Row>(current: SingleFlight<Position>, replicas: readonly Replica[], statement: Statement) {
  let target: Target = 'primary';
  if (replicas.length === 0) return { rows: undefined, target };
  const position = await current.get();
  for (const replica of replicas) {
    try {
      const answer = await replica.read<Row>(position.log, statement);
      if (!answer) target = 'behind';
      else if (await isSettled(current, answer.shown, position.settled))
        return { rows: answer.rows, target: 'replica' as const };
      else target = 'ahead';
    } catch {
      // Whatever it was, the primary does the same again, and says what is wrong if something is.
      target = 'failed';
    }
  }
  return { rows: undefined, target };
}

/**
 * Whether the primary shows everything that a replica has shown. A replica learns of a commit a moment before others see
 * it on the primary, and much earlier where commits wait for other replicas.
 */
async function isSettled(current: SingleFlight<Position>, shown: bigint, settled: bigint): Promise<boolean> {
  return shown <= settled || shown <= (await current.get()).settled;
}
