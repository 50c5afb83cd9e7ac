import { fileURLToPath } from 'node:url';
import { readOptions } from '../support/options.ts';
import { runProgram } from '../support/program.ts';
import { measureIdle } from './support/streams/idle.ts';
import { measureLatency } from './support/streams/latency.ts';
import { measurePolling } from './support/streams/polling.ts';

const { latency, rate, connections, streams, before, rounds, idle, polling } = readOptions(
  `Measures the streams of subscriptions. --latency: seconds with --rate changes of orders a second in 100 stores, each with --streams; through
the service or, with --connections, by so many connections to the database, for rates that one process does not reach; with --before, a checkout with its
dependencies, by turns with that version, in --rounds. --idle: streams that wait, for their memory. --polling: POS systems that wait by long
polling, for memory, CPU and latency. A part is skipped if its option is 0.`,
  { latency: 20, rate: 200, connections: 0, streams: 5, before: '', rounds: 1, idle: 5000, polling: 200 },
);
const checkout = fileURLToPath(new URL('..', import.meta.url));
const versions = [...(before ? [['before', before] as const] : []), ['now', checkout] as const];

await runProgram(async program => {
  for (let round = 0; round < rounds && latency > 0; round++) {
    for (const [name, folder] of versions) {
      await program.runPart(part =>
        measureLatency(part, { folder, name, seconds: latency, rate, connections, streams }),
      );
    }
  }
  const database = await program.startDatabase();
  if (idle > 0) await program.runPart(part => measureIdle(part, database, idle));
  if (polling > 0) await program.runPart(part => measurePolling(part, database, polling));
});
