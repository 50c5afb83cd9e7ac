/**
 * Runs writers and readers on one store through two server processes, records every response and checks the history:
 *   npx node drills/consistency.ts [--seconds 60] [--writers 8] [--readers 8] [--kill]
 * With --kill a server is killed with SIGKILL every two seconds and restarted.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { carte, type Server, startServer, stopServer } from '../support/servers.ts';
import { checkHistory, type Read, type Write } from './support/history.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    writers: { type: 'string', default: '8' },
    readers: { type: 'string', default: '8' },
    kill: { type: 'boolean', default: false },
  },
});

const folder = mkdtempSync(join(tmpdir(), 'carte-consistency-'));
const env = { CARTE_DATA: folder, CARTE_DEMO: 'off', PORT: '0' };
const store = 'contested';

const writes: Write[] = [];
const reads: Read[] = [];
const problems: string[] = [];
let unanswered = 0;

/** Builds a configuration in which every text contains the writer's mark; its size depends on the mark, too. */
function configuration(mark: string, size: number) {
  const name = { translations: { en: mark } };
  const ids = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}${index}`);
  return {
    menus: [{ external_id: 'm', name, availability: [], category_external_ids: ids('c', 5) }],
    categories: ids('c', 5).map(external_id => ({ external_id, name, item_external_ids: ids('i', size) })),
    items: ids('i', size).map(external_id => ({
      external_id,
      name,
      price: 1,
      tax: 0,
      sell_separately: true,
      modifier_external_ids: ['g'],
    })),
    modifier_groups: [
      {
        external_id: 'g',
        type: 'T',
        name,
        group_min: 0,
        group_max: 1,
        charge_after: 0,
        modifier_item_external_ids: ['x'],
      },
    ],
    modifier_items: [
      { external_id: 'x', name, price_change: 0, tax_change: 0, min_quantity: 0, max_quantity: 1, default_quantity: 0 },
    ],
  };
}

const paths = {
  tree: `/v1/stores/${store}/menu_configuration/`,
  flat: `/v1/stores/${store}/menu_configuration/flat`,
};
const query = `{ store(id: "${store}") {
  menuRevision
  menus { name { translations } categories { name { translations } items { name { translations } modifierGroups { modifierItems { name { translations } } } } } }
  items { name { translations } }
} }`;

const marksIn = (text: string) => [...new Set(text.match(/w\d+-\d+/g) ?? [])];
const revisionIn = (etag: string | null) => Number(/^"(\d+)-/.exec(etag ?? '')?.[1]);

async function main(): Promise<void> {
  await importStore();
  const key = await carte(['key', 'create', '--name', 'bench', '--all', '--write'], env);
  const servers: Server[] = [await startServer(env), await startServer(env)];
  const end = performance.now() + Number(values.seconds) * 1000;
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const running = () => performance.now() < end;
  const anyUrl = () => servers[Math.floor(Math.random() * servers.length)]?.url ?? '';

  async function ask(path: string, init: RequestInit = {}): Promise<{ response: Response; text: string } | undefined> {
    try {
      const response = await fetch(anyUrl() + path, { ...init, headers });
      const text = await response.text();
      if (response.status >= 500) problems.push(`${response.status} ${path}: ${text.slice(0, 200)}`);
      return { response, text };
    } catch {
      unanswered++;
      await new Promise(resolve => setTimeout(resolve, 20));
      return undefined;
    }
  }

  async function write(writer: number): Promise<void> {
    for (let number = 0; running(); number++) {
      const mark = `w${writer}-${number}`;
      const begun = performance.now();
      const body = JSON.stringify(configuration(mark, 5 + (number % 40)));
      const answer = await ask(paths.tree, { method: 'POST', body });
      const ended = performance.now();
      if (answer?.response.status !== 200) {
        writes.push({ mark, begun, ended, revision: undefined });
        continue;
      }
      const marks = marksIn(answer.text);
      if (marks.length !== 1 || marks[0] !== mark) problems.push(`the response to ${mark} contains ${marks}`);
      writes.push({ mark, begun, ended, revision: revisionIn(answer.response.headers.get('etag')) });
    }
  }

  async function read(): Promise<void> {
    while (running()) {
      const kind = ['tree', 'flat', 'graphql'][Math.floor(Math.random() * 3)];
      const begun = performance.now();
      const answer =
        kind === 'graphql'
          ? await ask('/graphql', { method: 'POST', body: JSON.stringify({ query }) })
          : await ask(kind === 'flat' ? paths.flat : paths.tree);
      if (answer?.response.status !== 200) continue;
      const revision =
        kind === 'graphql'
          ? JSON.parse(answer.text).data.store.menuRevision
          : revisionIn(answer.response.headers.get('etag'));
      reads.push({ marks: marksIn(answer.text), begun, ended: performance.now(), revision, kind: String(kind) });
    }
  }

  async function killServers(): Promise<void> {
    for (let turn = 0; values.kill && running(); turn++) {
      await new Promise(resolve => setTimeout(resolve, 2000));
      const victim = servers[turn % 2];
      victim?.child.kill('SIGKILL');
      servers[turn % 2] = await startServer(env);
    }
  }

  const numbers = (count: string) => Array.from({ length: Number(count) }, (_, index) => index);
  await Promise.all([...numbers(values.writers).map(write), ...numbers(values.readers).map(read), killServers()]);
  const last = await ask(paths.tree);
  const final = { marks: marksIn(last?.text ?? ''), revision: revisionIn(last?.response.headers.get('etag') ?? null) };
  problems.push(...checkHistory(writes, reads, final));
  await Promise.all(servers.map(stopServer));
}

async function importStore(): Promise<void> {
  const { writeFileSync } = await import('node:fs');
  const file = join(folder, 'store.ndjson');
  await carte(['migrate'], env);
  writeFileSync(file, JSON.stringify({ id: store, name: { translations: { en: 'Contested' } } }));
  await carte(['import', 'stores', file], env);
}

try {
  await main();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
const acknowledged = writes.filter(write => write.revision !== undefined).length;
console.log(`${acknowledged} writes acknowledged, ${writes.length - acknowledged} without a response`);
console.log(`${reads.length} reads, ${unanswered} requests aborted`);
console.log(
  problems.length === 0
    ? 'no violation in the history'
    : `${problems.length} violations, e.g.\n${problems.slice(0, 10).join('\n')}`,
);
process.exitCode = problems.length === 0 ? 0 : 1;
