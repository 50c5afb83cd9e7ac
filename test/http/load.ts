import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { smallBody } from './body.ts';

export interface Outcome {
  readonly status: number;
  /** The header `connection` of the response. */
  readonly connection: string | undefined;
  readonly text: string;
}

interface RequestOptions {
  readonly headers: Record<string, string>;
  readonly body?: string;
}

export const newAgent = () => new Agent({ keepAlive: true, maxSockets: 1 });

/** Sends a request over a keep-alive connection; rejects without a whole response, and `isNew` tells whether the connection was new. */
export function send(agent: Agent, url: string, { headers, body }: RequestOptions) {
  return new Promise<Outcome>((resolve, reject) => {
    const sent = request(url, { agent, method: body === undefined ? 'GET' : 'POST', headers }, response => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', chunk => (text += chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, connection: response.headers.connection, text }),
      );
    });
    sent.on('error', error => reject(Object.assign(error, { isNew: !sent.reusedSocket })));
    sent.end(body);
  });
}

export const statusesOf = (outcomes: readonly Outcome[]) => [...new Set(outcomes.map(({ status }) => status))];

export const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? error.code : error);

/** A connection that no process had accepted: the kernel resets these, too, when their process dies. */
export const isNewConnection = (error: unknown) => error instanceof Error && 'isNew' in error && error.isNew === true;

/** Leaves most of the processor to the service; `drills/renewals.ts` does without. */
const pauseMs = 200;

export interface Target {
  readonly url: string;
  /** Of a menu configuration. */
  readonly path: string;
  readonly key: string;
}

/** Eight clients that read and write a menu over keep-alive connections, each until an error that `isLast` expects. */
export function startLoad({ url, path, key }: Target, isLast: (error: unknown) => boolean = () => false) {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const outcomes: Outcome[] = [];
  /** By client. */
  const lastOutcomes: Outcome[] = [];
  const dropped: unknown[] = [];
  let isOver = false;
  const runClient = async (client: number) => {
    const agent = newAgent();
    for (let turn = 0; !isOver; turn++) {
      const isWrite = (turn + client) % 3 === 0;
      const options = isWrite ? { headers, body: JSON.stringify(smallBody(`${client} ${turn}`)) } : { headers };
      try {
        const outcome = await send(agent, url + path, options);
        outcomes.push(outcome);
        lastOutcomes[client] = outcome;
      } catch (error) {
        if (isLast(error)) return;
        dropped.push(codeOf(error));
      }
      await sleep(pauseMs);
    }
    agent.destroy();
  };
  const ended = Promise.all(Array.from({ length: 8 }, (_, client) => runClient(client)));
  const stop = async () => {
    isOver = true;
    await ended;
  };
  onTestFinished(stop);
  return { outcomes, lastOutcomes, dropped, stop, ended };
}
