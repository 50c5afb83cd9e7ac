import { setTimeout as sleep } from 'node:timers/promises';
import { PostgresNode } from '../../support/failover/postgres.ts';
import type { Program } from '../../support/program.ts';
import { type Environment, importDocuments } from '../../support/servers.ts';
import { Load } from './load.ts';
import { markIn, type Network, openNetwork, type Route, Service } from './service.ts';

interface CaseOptions {
  /** What a case starts is stopped when it is over. */
  readonly part: Program;
  readonly route: Route;
  /** How long the load runs before and after. */
  readonly seconds: number;
}

interface CaseResult {
  readonly facts: readonly string[];
  readonly problems: readonly string[];
}

type Case = (options: CaseOptions) => Promise<CaseResult>;

const stores = ['s0', 's1', 's2', 's3'];
const synchronous = { synchronous_standby_names: 'b', synchronous_commit: 'on' };
const inSeconds = (ms: number | undefined) => (ms === undefined ? 'never' : `${(ms / 1000).toFixed(2)} s`);

/** Starts a primary and the standbys that follow it; the settings of the primary take effect when it has them. */
async function startCluster(part: Program, settings: Record<string, string>, standbyNames: readonly string[]) {
  const a = await PostgresNode.create(part.folder, 'a');
  part.atEnd(() => a.stop());
  const standbys: PostgresNode[] = [];
  for (const name of standbyNames) standbys.push(await startStandby(part, a, name));
  await a.stop();
  await a.start(settings);
  return [a, ...standbys];
}

async function startStandby(part: Program, primary: PostgresNode, name: string, port?: number): Promise<PostgresNode> {
  const standby = await primary.clone(part.folder, name, port);
  part.atEnd(() => standby.stop());
  await standby.start();
  return standby;
}

/** Starts the service on the first of two servers; the other may become the primary. */
async function startService({ part, route }: CaseOptions, a: PostgresNode, b: PostgresNode, env: Environment) {
  const network = await openNetwork(route, a, [b]);
  part.atEnd(() => network.close());
  // A PgBouncer of this age tracks no prepared statements.
  const prepare = route === 'pgbouncer' ? { DATABASE_PREPARE: 'off' } : {};
  return { network, service: await Service.start(part, network.url, stores, { ...prepare, ...env }) };
}

/** A primary, a standby and the service. */
async function onPair(
  options: CaseOptions,
  { settings, environment = {} }: { settings: Record<string, string>; environment?: Record<string, string> },
  work: (a: PostgresNode, b: PostgresNode, network: Network, service: Service) => Promise<CaseResult>,
): Promise<CaseResult> {
  const [a, b] = await startCluster(options.part, settings, ['b']);
  if (!a || !b) throw new Error('The cluster has no standby');
  const { network, service } = await startService(options, a, b, environment);
  return work(a, b, network, service);
}

type Harm = (a: PostgresNode, network: Network) => Promise<void>;

/** The primary goes under load, with a synchronous standby; nothing acknowledged may be lost. */
function failOver(harm: Harm): Case {
  return options =>
    onPair(options, { settings: synchronous }, async (a, b, network, service) => {
      const load = new Load(service, stores);
      await sleep(options.seconds * 1_000);
      const failed = performance.now();
      await harm(a, network);
      await b.promote();
      network.moveTo(b);
      const promoted = performance.now();
      const deadline = promoted + 40_000;
      while (load.firstSuccessAfter(promoted) === undefined && performance.now() < deadline) await sleep(10);
      await sleep(options.seconds * 1_000);
      await load.stop();
      const first = load.firstSuccessAfter(promoted);
      const stuck = load.sent.filter(({ begun, ended }) => begun < promoted && ended > promoted);
      const slowest = Math.max(0, ...stuck.map(({ ended }) => ended - promoted));
      const lost = await load.lostWrites();
      const refused = load.sent.filter(({ status }) => status === 503).length;
      return {
        facts: [
          `${load.sent.length} requests, ${refused} × 503, ${lost.length} acknowledged writes lost`,
          `promotion took ${inSeconds(promoted - failed)}, first 200 ${inSeconds(first && first - promoted)} after it`,
          `the last request from before it ended ${inSeconds(slowest)} after it`,
        ],
        problems: [
          ...load.problems,
          ...lost,
          ...(slowest > 6_000 ? [`a request from before the promotion took ${inSeconds(slowest)}`] : []),
        ],
      };
    });
}

/** Commits wait for a standby that is cut off: none may be acknowledged, since none would survive a failover. */
const standbyCutOff: Case = options =>
  onPair(
    options,
    { settings: synchronous, environment: { DATABASE_STATEMENT_TIMEOUT: '2' } },
    async (a, b, network, service) => {
      const problems: string[] = [];
      const before = await service.post(0, 's0', 'w0-1');
      if (before.status !== 200) problems.push(`the first write: ${before.status}`);
      await b.disconnect();
      const begun = performance.now();
      const replies = await Promise.all([service.post(0, 's0', 'w0-2'), service.post(1, 's1', 'w1-2')]);
      const took = performance.now() - begun;
      for (const { status, retryAfter } of replies) {
        if (status !== 503 || !retryAfter) problems.push(`a commit that no standby has: ${status}, ${retryAfter}`);
      }
      network.vanish('cut');
      await a.kill();
      await b.promote();
      network.moveTo(b);
      for (const process of [0, 1]) {
        const shown = await untilOk(() => service.read(process, 's0'));
        if (markIn(shown.text) !== 'w0-1') problems.push(`process ${process} shows ${markIn(shown.text)}`);
      }
      const repeated = await untilOk(() => service.post(0, 's0', 'w0-2'));
      if (repeated.status !== 200) problems.push(`the repetition: ${repeated.status}`);
      return { facts: [`503 after ${inSeconds(took)}`, 'the repetition after the promotion is 200'], problems };
    },
  );

async function untilOk<T extends { readonly status: number }>(request: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + 15_000;
  for (;;) {
    const reply = await request();
    if (reply.status !== 503 || performance.now() > deadline) return reply;
    await sleep(50);
  }
}

const order = (id: string, store: string) => ({
  ...{ id, store: { id: store }, created_at: '2026-03-01T12:00:00Z', status: 'PENDING', price: 100, tax: 10 },
  ...{ customer: { name: id, phone: '+351 912 345 678' }, items: [], ready_by: '2026-03-01T13:00:00Z' },
  ...{ is_read: false, in_pos: false },
});

const replace =
  'mutation ($input: ReplaceMenuConfigurationInput!) { replaceMenuConfiguration(input: $input) { __typename } }';

/** Another server takes over that never had the last changes; their revisions must not be taken for those of others. */
async function checkLostTail(
  network: Network,
  service: Service,
  { lose, takeOver }: { lose: () => Promise<void>; takeOver: () => Promise<PostgresNode> },
): Promise<CaseResult> {
  const problems: string[] = [];
  const env = (url: string) => ({ DATABASE_URL: url, CARTE_LOG_LEVEL: 'silent' });
  const orders = '/v1/stores/s0/orders/';
  await service.post(0, 's0', 'w0-1');
  await importDocuments('orders', [order('first', 's0')], env(network.url));
  await lose();
  const lost = await service.post(0, 's0', 'w0-2');
  await importDocuments('orders', [order('lost', 's0')], env(network.url));
  const [tree, list] = [await service.read(1, 's0'), await service.send(1, orders)];
  await service.read(0, 's0');
  await service.send(0, orders);
  const revision = Number(/^"(\d+)/.exec(tree.etag)?.[1]);
  const successor = await takeOver();
  for (const process of [0, 1]) {
    const read = await untilOk(() => service.read(process, 's0', { 'if-none-match': tree.etag }));
    if (read.status !== 200 || markIn(read.text) !== 'w0-1') {
      problems.push(`process ${process}, If-None-Match of the lost tree: ${read.status}, ${markIn(read.text)}`);
    }
    const listed = await untilOk(() => service.send(process, orders, { headers: { 'if-none-match': list.etag } }));
    if (listed.status !== 200 || listed.text.includes('"lost"'))
      problems.push(`process ${process}, orders: ${listed.status}`);
  }
  // As many changes as were lost, so that a plain counter comes to the same number.
  const other = await untilOk(() => service.post(0, 's0', 'w0-3'));
  await importDocuments('orders', [order('other', 's0')], env(successor.url));
  if (other.status !== 200) problems.push(`a write: ${other.status}`);
  for (const process of [0, 1]) {
    const shown = await service.read(process, 's0', { 'if-none-match': lost.etag });
    if (markIn(shown.text) !== 'w0-3') {
      problems.push(
        `process ${process} answers ${shown.status} ${markIn(shown.text)} to the lost ETag after a new write`,
      );
    }
    const listed = await service.send(process, orders, { headers: { 'if-none-match': list.etag } });
    if (listed.status !== 200 || !listed.text.includes('"other"') || listed.text.includes('"lost"')) {
      problems.push(`process ${process} answers ${listed.status} to the lost ETag of orders after another order`);
    }
  }
  const stale = await service.post(1, 's0', 'w0-4', { 'if-match': lost.etag });
  if (stale.status !== 412) problems.push(`If-Match with a lost ETag: ${stale.status}`);
  const input = {
    storeId: 's0',
    expectedMenuRevision: revision,
    menus: [],
    categories: [],
    items: [],
    modifierGroups: [],
    modifierItems: [],
  };
  const refused = JSON.stringify(await service.graphql(1, replace, { input }));
  if (!refused.includes('CONFLICT')) problems.push(`expectedMenuRevision of a lost revision: ${refused.slice(0, 200)}`);

  return { facts: ['the lost tail is shown by nobody, and its ETags match nothing'], problems };
}

const asynchronousPromotion: Case = options =>
  onPair(options, { settings: {} }, (a, b, network, service) =>
    checkLostTail(network, service, {
      async lose() {
        const [row] = await a.query('select pg_current_wal_flush_lsn()::text as lsn');
        while ((await b.query(`select pg_last_wal_replay_lsn() >= '${row?.lsn}' as done`))[0]?.done !== true)
          await sleep(20);
        await b.disconnect();
      },
      async takeOver() {
        network.vanish('cut');
        await a.kill();
        await b.promote();
        network.moveTo(b);
        return b;
      },
    }),
  );

const restoredBackup: Case = options =>
  onPair(options, { settings: {} }, async (a, _b, network, service) => {
    let copy: PostgresNode | undefined;
    return checkLostTail(network, service, {
      async lose() {
        copy = await a.backUp(options.part.folder, 'copy');
      },
      async takeOver() {
        network.vanish('cut');
        await a.kill();
        if (!copy) throw new Error('There is no back-up');
        options.part.atEnd(() => copy?.stop());
        await copy.start();
        network.moveTo(copy);
        return copy;
      },
    });
  });

/** A read replica that stayed with the old primary has a write that was never acknowledged. */
const replicaOfOldTimeline: Case = async options => {
  const problems: string[] = [];
  const [a, b, c] = await startCluster(options.part, synchronous, ['b', 'c']);
  if (!a || !b || !c) throw new Error('The cluster has not two standbys');
  // Nothing cached: every tree is read from the database.
  const { network, service } = await startService(options, a, b, {
    ...{ DATABASE_REPLICA_URLS: c.url, CARTE_CACHE_BYTES: '0', DATABASE_STATEMENT_TIMEOUT: '2' },
  });
  await service.post(0, 's0', 'w0-1');
  const before = await readsOf(service);
  if (before === 0) problems.push('the replica was not used before');
  await b.disconnect();
  const unacknowledged = await service.post(0, 's0', 'w0-2', {}, 2_000);
  if (unacknowledged.status !== 503) problems.push(`the write without a standby: ${unacknowledged.status}`);
  await sleep(500);
  const [onC] = await c.query("select name::text from menu where store_id = 's0'");
  if (!JSON.stringify(onC).includes('w0-2'))
    problems.push('the replica has not received the write: the drill proves nothing');
  network.vanish('cut');
  await a.kill();
  await b.promote();
  network.moveTo(b);
  const shown = new Map<string, number>();
  for (let turn = 0; turn < 20; turn++) {
    const reply = await untilOk(() => service.read(turn, 's0'));
    const mark = `${reply.status} ${markIn(reply.text)}`;
    shown.set(mark, (shown.get(mark) ?? 0) + 1);
    await sleep(100);
  }
  // Transactions of little WAL: the new primary comes to the lost transaction's number before it comes to its position.
  for (let count = 0; count < 10; count++) await b.query('select pg_current_xact_id()');
  for (let turn = 0; turn < 20; turn++) {
    const reply = await untilOk(() => service.read(turn, 's0'));
    const mark = `${reply.status} ${markIn(reply.text)}`;
    shown.set(mark, (shown.get(mark) ?? 0) + 1);
  }
  for (const mark of shown.keys())
    if (mark !== '200 w0-1') problems.push(`reads showed ${mark}: ${shown.get(mark)} times`);
  // A standby of the new primary under the old address is used again.
  await c.kill();
  await startStandby(options.part, b, 'd', c.port);
  let used = 0;
  for (let turn = 0; turn < 100 && used === 0; turn++) {
    await sleep(100);
    used = await readsOf(service);
  }
  if (used === 0) problems.push('a standby that follows again is not used');
  return {
    facts: [
      `40 reads showed ${[...shown].map(([mark, times]) => `${times} × ${mark}`).join(', ')}`,
      'a standby that follows is used again',
    ],
    problems,
  };
};

/** How many of some reads a replica served. */
async function readsOf(service: Service): Promise<number> {
  const count = async () => {
    const { text } = await service.send(0, '/metrics');
    return Number(/^carte_database_reads_total\{target="replica"\} (\d+)/m.exec(text)?.[1] ?? 0);
  };
  const before = await count();
  for (let turn = 0; turn < 10; turn++) await service.send(0, '/v1/stores/');
  return (await count()) - before;
}

export const cases: Readonly<Record<string, Case>> = {
  'kill -9': failOver(async (a, network) => {
    await a.kill();
    network.vanish('cut');
  }),
  'host vanished, sessions cut': failOver(async (a, network) => {
    network.vanish('cut');
    await a.kill();
  }),
  'host vanished, sessions open': failOver(async (a, network) => {
    network.vanish('open');
    await a.kill();
  }),
  'standby cut off under synchronous replication': standbyCutOff,
  'asynchronous promotion with a lost tail': asynchronousPromotion,
  'replica on the old timeline': replicaOfOldTimeline,
  'restored back-up': restoredBackup,
};
