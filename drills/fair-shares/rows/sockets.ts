import type { Row } from '../row.ts';
import { floodSocket, repeatFrame } from '../sockets.ts';
import { byEach, rowOf, scaled } from './build.ts';

const limitMs = 60_000;
const frames = [
  ['ping frames', 'ping', ''],
  ['ping messages', 'message', '{"type":"ping"}'],
] as const;

/** Messages that a WebSocket replies to, before and after `connection_init`. */
export const socketRows: readonly Row[] = frames.flatMap(([name, type, payload]) =>
  byEach([undefined, 'read'], key =>
    rowOf(
      {
        name: `100,000 WebSocket ${name} ${key ? 'after' : 'before'} connection_init`,
        key,
        requests: 8,
        isShort: true,
      },
      target => {
        const replies = scaled(100_000, target);
        const sent = repeatFrame(type, payload, replies);
        const secret = key && target.keys[key];
        return async () => ({
          outcome: await floodSocket(target.url, { key: secret, frames: sent, replies, limitMs }),
        });
      },
    ),
  ),
);
