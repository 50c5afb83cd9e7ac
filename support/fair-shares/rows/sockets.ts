import type { Row } from '../row.ts';
import { floodSocket, holdSocket, messageFrames, repeatFrame } from '../sockets.ts';
import { byEach, rowOf, scaled } from './build.ts';

const limitMs = 60_000;
const holdMs = 5_000;
const pings = [
  ['ping frames', 'ping', ''],
  ['ping messages', 'message', '{"type":"ping"}'],
] as const;

/** The largest message that the service reads before it knows the key. */
const longText = 'x'.repeat(250_000);

const invalidSubscription = (at: number) => ({
  id: String(at),
  type: 'subscribe',
  payload: { query: `subscription { ${Array.from({ length: 40 }, (_, field) => `unknown${at}${field}`).join(' ')} }` },
});

/** Messages on WebSockets, before and after `connection_init`. */
export const socketRows: readonly Row[] = [
  ...pings.flatMap(([name, type, payload]) =>
    byEach([undefined, 'read'], key => {
      const when = key ? 'after' : 'before';
      const options = { key, requests: 8, isShort: (type === 'ping') !== (key !== undefined) };
      return rowOf({ ...options, name: `100,000 WebSocket ${name} ${when} connection_init` }, target => {
        const replies = scaled(100_000, target);
        const frames = repeatFrame(type, payload, replies);
        const secret = key && target.keys[key];
        return async () => ({ outcome: await floodSocket(target.url, { key: secret, frames, replies, limitMs }) });
      });
    }),
  ),
  rowOf({ name: '40 WebSocket messages of 250 KB before connection_init', requests: 24, atOnce: 4 }, target => {
    const frames = repeatFrame('message', JSON.stringify({ type: 'ping', payload: { longText } }), 40);
    return async () => ({ outcome: await floodSocket(target.url, { frames, replies: 40, limitMs }) });
  }),
  rowOf({ name: '100 WebSockets that say nothing', requests: 100, atOnce: 100 }, target => async () => ({
    outcome: await holdSocket(target.url, holdMs),
  })),
  rowOf({ name: 'WebSockets with an unknown key', key: 'unknown', requests: 500, atOnce: 8 }, target => async () => {
    const key = `carte_${Math.random().toString(36).slice(2).padEnd(43, 'x')}`;
    const frames = repeatFrame('message', '{"type":"ping"}', 1);
    return { outcome: await floodSocket(target.url, { key, frames, replies: 2, limitMs }) };
  }),
  rowOf({ name: '5,000 invalid subscriptions on a WebSocket', key: 'read', requests: 8 }, target => {
    const replies = scaled(5_000, target);
    const frames = messageFrames(Array.from({ length: replies }, (_, at) => invalidSubscription(at)));
    return async () => ({
      outcome: await floodSocket(target.url, { key: target.keys.read, frames, replies, limitMs }),
    });
  }),
];
