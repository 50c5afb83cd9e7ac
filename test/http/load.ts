import { Agent, request } from 'node:http';

export interface Outcome {
  readonly status: number;
  /** What the answer says about its connection. */
  readonly connection: string | undefined;
  readonly text: string;
}

/** One request on a connection that is kept; rejects where no whole answer came, and says whether the connection was new. */
export function ask(agent: Agent, url: string, options: { headers: Record<string, string>; body?: string }) {
  const { headers, body } = options;
  return new Promise<Outcome>((resolve, reject) => {
    const sent = request(url, { agent, method: body === undefined ? 'GET' : 'POST', headers }, answer => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', chunk => (text += chunk));
      answer.on('error', reject);
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, connection: answer.headers.connection, text }));
    });
    sent.on('error', error => reject(Object.assign(error, { isNew: !sent.reusedSocket })));
    sent.end(body);
  });
}

export const newAgent = () => new Agent({ keepAlive: true, maxSockets: 1 });
