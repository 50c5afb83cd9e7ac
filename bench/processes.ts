import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { cpuSeconds } from '../support/cpu.ts';
import { readOptions } from '../support/options.ts';
import { type Program, runProgram } from '../support/program.ts';
import { createKey, type Environment, type Server } from '../support/servers.ts';
import { median } from './support/meter.ts';
import { type LoadResult, runLoad, type Task } from './support/processes/load.ts';

const options = readOptions(
  `Compares one process with two by requests per second. The database and the load run on the same machine. On two cores they use what a second process
could use, so the ratio shows the remaining headroom, not the gain of a second process; the CPU time per request shows its cost.`,
  { seconds: 5, rounds: 3, connections: 16 },
);
const { seconds, connections } = options;
const store = 'lisbon-baixa';
const graphql = readFileSync(new URL('queries/orders.graphql', import.meta.url), 'utf8');
const failuresOf = ({ failures }: LoadResult) => Object.values(failures).reduce((sum, count) => sum + count, 0);

interface Kind {
  readonly name: string;
  readonly path: string;
  readonly body?: string;
}

const kinds: readonly Kind[] = [
  { name: 'menu tree', path: `/v1/stores/${store}/menu_configuration/` },
  { name: 'order list', path: `/v1/stores/${store}/orders/?page_size=20` },
  { name: 'GraphQL orders', path: '/graphql', body: JSON.stringify({ query: graphql, variables: { store } }) },
];

function taskOf({ url }: Server, key: string, { path, body }: Kind): Task {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  return { url: url + path, headers, connections, seconds, ...(body !== undefined && { body }) };
}

interface Round {
  readonly rate: number;
  /** CPU seconds of the service per second of load. */
  readonly busy: number;
  readonly bad: number;
}

async function measure({ startServer }: Program, env: Environment, key: string): Promise<readonly Round[]> {
  const server = await startServer(env);
  const rounds: Round[] = [];
  for (const kind of kinds) {
    await runLoad(taskOf(server, key, kind));
    const before = cpuSeconds(server.child.pid);
    const result = await runLoad(taskOf(server, key, kind));
    const busy = (cpuSeconds(server.child.pid) - before) / result.seconds;
    rounds.push({ rate: result.responses / result.seconds, busy, bad: result.wrong + failuresOf(result) });
  }
  return rounds;
}

/** Returns the number of wrong responses. */
async function compare({ runPart }: Program, env: Environment, key: string): Promise<number> {
  const measureWith = (processes: number) =>
    runPart(part => measure(part, { ...env, CARTE_PROCESSES: String(processes) }, key));
  const one: (readonly Round[])[] = [];
  const two: (readonly Round[])[] = [];
  for (let round = 0; round < options.rounds; round++) {
    one.push(await measureWith(1));
    two.push(await measureWith(2));
  }
  for (const [index, { name }] of kinds.entries()) {
    const of = (all: readonly (readonly Round[])[], what: keyof Round) =>
      median(all.map(each => each[index]?.[what] ?? 0));
    const [a, b] = [of(one, 'rate'), of(two, 'rate')];
    const [busy, busier] = [of(one, 'busy'), of(two, 'busy')];
    console.log(`${name}: ${a.toFixed(0)} and ${b.toFixed(0)} requests/s, ratio ${(b / a).toFixed(2)}`);
    console.log(`  the service used ${busy.toFixed(2)} and ${busier.toFixed(2)} cores`);
    console.log(`  CPU per request ${((busy / a) * 1000).toFixed(2)} and ${((busier / b) * 1000).toFixed(2)} ms`);
  }
  return [...one, ...two].flat().reduce((sum, { bad }) => sum + bad, 0);
}

await runProgram(async program => {
  // The service joins this database by its folder, and then loads the demo.
  await program.startDatabase();
  const env = { CARTE_DATA: program.folder, PORT: '0' };
  await program.runPart(part => part.startServer(env));
  const key = await createKey(env);
  console.log(`${availableParallelism()} cores for the service, its database and the load`);
  const bad = await compare(program, env, key);
  console.log(`${bad} unexpected failures`);
  if (bad > 0) process.exitCode = 1;
});
