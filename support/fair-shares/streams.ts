import { request as begin } from 'node:http';
import { errorCodeOf } from './request.ts';
import type { Outcome } from './row.ts';

export interface StreamRequest {
  readonly key: string;
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly limitMs: number;
  /** Ends the stream after so many events; without it, when the time is over. */
  readonly maxEvents?: number;
  readonly onOpen?: () => void;
  readonly onText?: (text: string) => void;
}

const startOfEvent = 'event: next';

/** Reads a stream of Server-Sent Events for so long, and counts its events. */
export function readStream(url: string, options: StreamRequest): Promise<Outcome & { readonly events: number }> {
  const { key, query, variables, limitMs, maxEvents = Number.POSITIVE_INFINITY, onOpen, onText } = options;
  const headers = { 'x-api-key': key, 'content-type': 'application/json', accept: 'text/event-stream' };
  return new Promise(resolve => {
    let events = 0;
    let outcome = 'closed';
    const end = () => {
      clearTimeout(timer);
      sent.destroy();
      resolve({ outcome, events });
    };
    const timer = setTimeout(end, limitMs);
    const sent = begin(`${url}/graphql`, { method: 'POST', headers }, response => {
      outcome = String(response.statusCode);
      onOpen?.();
      // A marker may be cut by the chunks.
      let rest = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        onText?.(chunk);
        if (chunk.length < 10_000) {
          const code = errorCodeOf(chunk);
          if (code) outcome = `${response.statusCode} ${code}`;
        }
        const text = rest + chunk;
        events += text.split(startOfEvent).length - 1;
        rest = text.slice(-(startOfEvent.length - 1));
        if (events >= maxEvents) end();
      });
      response.on('end', end).on('error', end);
    });
    sent.on('error', end);
    sent.end(JSON.stringify({ query, variables }));
  });
}
