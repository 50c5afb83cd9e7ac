import { readOptions } from '../support/options.ts';
import { runProgram } from '../support/program.ts';
import { measureIdle } from './support/streams/idle.ts';
import { measureLatency } from './support/streams/latency.ts';

const { latency, idle } = readOptions(
  `Measures the streams of subscriptions. --latency: seconds with 200 orders a second in 100 stores and 500 streams. --idle: streams that wait, for their
memory. A part is skipped if its option is 0.`,
  { latency: 20, idle: 5000 },
);

await runProgram(async program => {
  const database = await program.startDatabase();
  if (latency > 0) await program.runPart(part => measureLatency(part, database, latency));
  if (idle > 0) await program.runPart(part => measureIdle(part, database, idle));
});
