import { setTimeout as sleep } from 'node:timers/promises';
import { type Cluster, until } from './cluster.ts';
import { cutOff, reconnect } from './network.ts';
import type { Node } from './node.ts';

/** What happens to a cluster under load. */
export interface Case {
  /** Settings of Patroni during the case, besides the synchronous mode. */
  readonly settings?: object;
  /** Does the harm, and returns when a server that takes writes is there again. */
  harm(cluster: Cluster, leader: Node): Promise<void>;
  /** Brings back what was harmed. */
  restore?(leader: Node): void;
  /** The old leader may have a tail of transactions that the new one lacks. */
  readonly mayFork: boolean;
}

async function untilPromoted(cluster: Cluster, old: Node): Promise<void> {
  await until('a new leader', async () => {
    const others = cluster.nodes.filter(node => node !== old);
    const replies = await Promise.all(others.map(node => node.rest('/primary')));
    return replies.some(reply => reply?.status === 200);
  });
}

/** Kills two of three members of etcd. */
async function loseQuorum({ nodes }: Cluster): Promise<() => void> {
  const [one, two] = nodes;
  await one?.killEtcd();
  await two?.killEtcd();
  return () => {
    one?.startEtcd();
    two?.startEtcd();
  };
}

const partition = (clients: boolean): Case => ({
  async harm(cluster, leader) {
    cutOff(leader.name, { clients });
    await untilPromoted(cluster, leader);
  },
  restore: leader => reconnect(leader.name),
  mayFork: true,
});

export const cases = {
  /** An operator moves the leader. */
  switchover: {
    async harm(cluster, leader) {
      const reply = await leader.rest('/switchover', 'POST', { leader: leader.name });
      if (reply?.status !== 200) throw new Error(`Patroni does not switch over: ${reply?.text}`);
      await untilPromoted(cluster, leader);
    },
    mayFork: false,
  },
  /** `kill -9` of Patroni and PostgreSQL on the leader's node. */
  kill: {
    async harm(cluster, leader) {
      await leader.killPatroni();
      await untilPromoted(cluster, leader);
    },
    restore: leader => leader.startPatroni(),
    mayFork: true,
  },
  /** The leader is cut off from the other nodes, and clients still reach it. */
  partition: partition(false),
  /** The leader is cut off from everyone, and connections to it stay open. */
  vanished: partition(true),
  /** Two of three members of etcd are gone, and the leader must not go on. */
  quorum: {
    settings: { failsafe_mode: false },
    async harm(cluster) {
      const back = await loseQuorum(cluster);
      await until('no leader', async () => !(await cluster.findLeader()));
      await sleep(3_000);
      back();
      await until('a leader', () => cluster.findLeader());
    },
    mayFork: false,
  },
  /** The same, for longer than the leader's key lives: the leader goes on, since it reaches all others. */
  failsafe: {
    settings: { failsafe_mode: true },
    async harm(cluster) {
      const back = await loseQuorum(cluster);
      await sleep(35_000);
      back();
    },
    mayFork: false,
  },
} as const satisfies Readonly<Record<string, Case>>;
