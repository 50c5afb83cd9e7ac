import type { StreamListener, StreamRequest } from './hub.ts';
import type { TabMessage, WorkerMessage } from './worker.ts';

type Listen = (request: StreamRequest, listener: StreamListener) => () => void;

/** Returns how to listen to streams: in a worker that all tabs share, or in this tab where the browser cannot run one. */
export function createStreams(): () => Promise<Listen> {
  let listen: Promise<Listen> | undefined;
  const useHub = () => {
    listen = import('./hub.ts').then(({ createHub }) => createHub().listen);
    return listen;
  };
  return () => {
    listen ??= typeof SharedWorker === 'undefined' ? useHub() : Promise.resolve(listenInWorker(useHub));
    return listen;
  };
}

function listenInWorker(onFailure: () => void): Listen {
  // The name changes with the messages, since tabs of an earlier version may keep its worker running.
  const worker = new SharedWorker(new URL('worker.ts', import.meta.url), { type: 'module', name: 'carte-streams-1' });
  const { port } = worker;
  const listeners = new Map<number, StreamListener>();
  let nextId = 0;
  const send = (message: TabMessage) => port.postMessage(message);
  const endAll = () => {
    const ended = [...listeners.values()];
    listeners.clear();
    for (const { onEnd } of ended) onEnd();
  };
  port.onmessage = ({ data: message }: MessageEvent<WorkerMessage>) => {
    const listener = listeners.get(message.id);
    if (message.type === 'open') listener?.onOpen(message.hasPassed);
    else if (message.type === 'result') listener?.onResult(message.result);
    else {
      listeners.delete(message.id);
      listener?.onEnd();
    }
  };
  worker.onerror = () => {
    onFailure();
    endAll();
  };
  // A page that comes back from the back/forward cache opens its streams again.
  addEventListener('pagehide', () => {
    for (const id of listeners.keys()) send({ type: 'leave', id });
    endAll();
  });
  return (request, listener) => {
    const id = nextId++;
    listeners.set(id, listener);
    send({ type: 'listen', id, request });
    return () => {
      if (listeners.delete(id)) send({ type: 'leave', id });
    };
  };
}
