import type { Operations } from '../../src/generated/web.ts';
import { openOperations as openFile } from '../client.ts';
import { readKey } from '../key.ts';
import { createStreams } from './streams/streams.ts';

const openStreams = createStreams();

export interface StreamOptions<Data> {
  readonly signal: AbortSignal;
  /** The network was cut until this time, in ms. */
  readonly lostAt: number;
  /** Called when the stream is connected, with whether events after the cursor may have been missed. */
  readonly onOpen: (hasPassed: boolean) => void;
  readonly onData: (data: Data) => void;
}

/** Opens a file of operations, of which some may be subscriptions. */
export function openOperations(file: URL) {
  const { operation, payloadOf } = openFile(file);
  return {
    operation,
    /** Resolves when the stream ends, by the signal, by the server or since it failed. */
    subscription<Name extends keyof Operations>(name: Name) {
      type Data = Operations[Name]['data'];
      return async (variables: Operations[Name]['variables'], options: StreamOptions<Data>): Promise<void> => {
        const { signal, lostAt, onOpen, onData } = options;
        const payload = await payloadOf(name, variables);
        const listen = await openStreams();
        if (signal.aborted) return;
        const request = { key: readKey(), url: new URL('graphql', document.baseURI).href, payload, lostAt };
        await new Promise<void>(resolve => {
          const stop = listen(request, {
            onOpen,
            onResult: ({ data }) => data && onData(data as Data),
            onEnd: resolve,
          });
          signal.addEventListener('abort', () => {
            stop();
            resolve();
          });
        });
      };
    },
  };
}
