import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Program } from '../../support/program.ts';
import { createNetwork, nodeNames } from './network.ts';
import { Node } from './node.ts';

const idOf = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));

/** Waits until something is there. */
export async function until<T>(what: string, find: () => Promise<T | undefined | false>, seconds = 120): Promise<T> {
  for (const deadline = performance.now() + seconds * 1_000; performance.now() < deadline; await sleep(100)) {
    const found = await find();
    if (found) return found;
  }
  throw new Error(`After ${seconds} s still not: ${what}`);
}

/** Three nodes under Patroni, of which one is the leader. */
export class Cluster {
  readonly nodes: readonly Node[];

  private constructor(nodes: readonly Node[]) {
    this.nodes = nodes;
  }

  static create({ folder, atEnd }: Program): Cluster {
    // In memory: a busy disk would be the slowest part of etcd, and what is written outlives `kill -9` there, too.
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'mode=711', 'none', folder]);
    atEnd(() => execFileSync('umount', ['--lazy', folder]));
    createNetwork();
    Node.createCertificates(folder);
    const owner = { uid: idOf('-u'), gid: idOf('-g') };
    return new Cluster(nodeNames.map(name => new Node(folder, name, owner)));
  }

  /** As a new installation starts: etcd and its users, then Patroni, which creates the database cluster on one node and copies it to the others. */
  async start(): Promise<void> {
    for (const node of this.nodes) node.startEtcd();
    await this.nodes[0]?.createEtcdUsers();
    for (const node of this.nodes) node.startPatroni();
    await this.untilWhole();
  }

  /** The node whose Patroni holds the leader's key. */
  async findLeader(): Promise<Node | undefined> {
    const replies = await Promise.all(this.nodes.map(node => node.rest('/primary')));
    return this.nodes.find((_, at) => replies[at]?.status === 200);
  }

  /** Changes the settings that are in etcd. */
  async configure(settings: object): Promise<void> {
    const reply = await (await this.#leader()).rest('/config', 'PATCH', settings);
    if (reply?.status !== 200) throw new Error(`Patroni does not take ${JSON.stringify(settings)}: ${reply?.text}`);
  }

  /** With synchronous replication, also until a standby is the synchronous one; without, until none is. */
  async setSynchronous(isSynchronous: boolean): Promise<void> {
    await this.configure({ synchronous_mode: isSynchronous });
    await this.untilWhole();
    await until(`synchronous replication ${isSynchronous ? 'on' : 'off'}`, async () => {
      const leader = await this.#leader();
      const rows = await leader.query("select from pg_stat_replication where sync_state = 'sync'").catch(() => []);
      return rows.length === (isSynchronous ? 1 : 0);
    });
  }

  /** Waits until there is a leader, and both others stream from it on its timeline. */
  async untilWhole(): Promise<Node> {
    return until('a leader and two standbys that follow it', async () => {
      const states = await Promise.all(this.nodes.map(node => node.state()));
      const leader = await this.findLeader();
      const timelines = new Set(states.map(state => state?.timeline));
      if (!leader || timelines.size !== 1 || states.some(state => state?.state !== 'running')) return undefined;
      const rows = await leader.query("select from pg_stat_replication where state = 'streaming'").catch(() => []);
      return rows.length === 2 ? leader : undefined;
    });
  }

  #leader(): Promise<Node> {
    return until('a leader', () => this.findLeader());
  }
}
