import { Agent, request } from 'node:http';
import type { Tally, Task } from './load.ts';

const longest = 10_000;
const task: Task = JSON.parse(process.argv[2] ?? '');
const method = task.body === undefined ? 'GET' : 'POST';

/** Sends a request; rejects without a complete response. */
function ask(agent: Agent): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const sent = request(task.url, { agent, method, headers: task.headers, timeout: longest }, answer => {
      const parts: Buffer[] = [];
      answer.on('data', part => parts.push(part));
      answer.on('error', reject);
      answer.on('end', () => resolve(Buffer.concat([Buffer.from(`${answer.statusCode}\n`), ...parts])));
    });
    sent.on('timeout', () => sent.destroy(new Error('the request timed out')));
    sent.on('error', reject);
    sent.end(task.body);
  });
}

const failures: Record<string, number> = {};
let answers = 0;
let wrong = 0;
const expected = await ask(new Agent());
if (!expected.toString('utf8', 0, 4).startsWith('200')) throw new Error(`${task.url}: ${expected}`);
const begun = performance.now();

async function work(): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  while (performance.now() - begun < task.seconds * 1_000) {
    try {
      const answer = await ask(agent);
      answers += 1;
      if (!answer.equals(expected)) wrong += 1;
    } catch (error) {
      const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error);
      failures[reason] = (failures[reason] ?? 0) + 1;
    }
  }
  agent.destroy();
}

await Promise.all(Array.from({ length: task.connections }, work));
const tally: Tally = { answers, wrong, failures, seconds: (performance.now() - begun) / 1_000 };
process.send?.(tally, () => process.disconnect());
