import { createHub, type StreamRequest, type StreamResult } from './hub.ts';

/** From a tab: listens to a stream, or to none of its streams any more. */
export type TabMessage =
  | { readonly type: 'listen'; readonly id: number; readonly request: StreamRequest }
  | { readonly type: 'leave'; readonly id: number };

/** To a tab, about the stream that it listens to by this id. */
export type WorkerMessage = { readonly id: number } & (
  | { readonly type: 'open'; readonly hasPassed: boolean }
  | { readonly type: 'result'; readonly result: StreamResult }
  | { readonly type: 'end' }
);

const hub = createHub();

/** Serves a tab: each has a port of its own. */
function serve(port: MessagePort): void {
  const listening = new Map<number, () => void>();
  const send = (message: WorkerMessage) => port.postMessage(message);
  const leave = (id: number) => {
    listening.get(id)?.();
    listening.delete(id);
  };
  port.onmessage = ({ data: message }: MessageEvent<TabMessage>) => {
    const { id } = message;
    if (message.type === 'leave') return leave(id);
    const stop = hub.listen(message.request, {
      onOpen: hasPassed => send({ id, type: 'open', hasPassed }),
      onResult: result => send({ id, type: 'result', result }),
      onEnd: () => send({ id, type: 'end' }),
    });
    listening.set(id, stop);
  };
  // A tab that crashed has not left.
  port.addEventListener('close', () => [...listening.keys()].forEach(leave));
}

addEventListener('connect', event => {
  const [port] = event instanceof MessageEvent ? event.ports : [];
  if (port) serve(port);
});
