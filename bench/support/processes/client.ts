import { Agent, request } from 'node:http';
import type { LoadResult, Task } from './load.ts';

const longest = 10_000;
const task: Task = JSON.parse(process.argv[2] ?? '');
const method = task.body === undefined ? 'GET' : 'POST';

/** Sends a request; rejects without a complete response. */
function send(agent: Agent): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const sent = request(task.url, { agent, method, headers: task.headers, timeout: longest }, response => {
      const parts: Buffer[] = [];
      response.on('data', part => parts.push(part));
      response.on('error', reject);
      response.on('end', () => resolve(Buffer.concat([Buffer.from(`${response.statusCode}\n`), ...parts])));
    });
    sent.on('timeout', () => sent.destroy(new Error('the request timed out')));
    sent.on('error', reject);
    sent.end(task.body);
  });
}

const failures: Record<string, number> = {};
let responses = 0;
let wrong = 0;
const expected = await send(new Agent());
if (!expected.toString('utf8', 0, 4).startsWith('200')) throw new Error(`${task.url}: ${expected}`);
const begun = performance.now();

async function work(): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  while (performance.now() - begun < task.seconds * 1_000) {
    try {
      const response = await send(agent);
      responses += 1;
      if (!response.equals(expected)) wrong += 1;
    } catch (error) {
      const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error);
      failures[reason] = (failures[reason] ?? 0) + 1;
    }
  }
  agent.destroy();
}

await Promise.all(Array.from({ length: task.connections }, work));
const result: LoadResult = { responses, wrong, failures, seconds: (performance.now() - begun) / 1_000 };
process.send?.(result, () => process.disconnect());
