import { readOptions } from '../support/options.ts';
import { runProgram } from '../support/program.ts';
import { measureIdle } from './support/streams/idle.ts';
import { measureLatency } from './support/streams/latency.ts';
import { measurePolling } from './support/streams/polling.ts';

const { latency, idle, polling } = readOptions(
  `Measures the streams of subscriptions. --latency: seconds with 200 orders a second in 100 stores and 500 streams. --idle: streams that wait, for their
memory. --polling: POS systems that wait by long polling, for memory, CPU and latency. A part is skipped if its option is 0.`,
  { latency: 20, idle: 5000, polling: 200 },
);

await runProgram(async program => {
  const database = await program.startDatabase();
  if (latency > 0) await program.runPart(part => measureLatency(part, database, latency));
  if (idle > 0) await program.runPart(part => measureIdle(part, database, idle));
  if (polling > 0) await program.runPart(part => measurePolling(part, database, polling));
});
