/** What `followOrder` needs to know of an order; a page selects more. */
export interface FollowedOrder {
  readonly completedAt: string | null;
}

export interface FollowOptions<Order extends FollowedOrder> {
  /** The endpoint of the graph, and the publishable key with which the order was placed. */
  readonly url: string;
  readonly key: string;
  /** The `guestToken` of `placeOrder`. */
  readonly token: string;
  /** The fields of `GuestOrder` to read, with `completedAt`. */
  readonly fields: string;
  /** Called with the order as it is now and whenever it changes; with null if the token has ended. */
  readonly onOrder: (order: Order | null) => void;
  /** Called with whether changes arrive at once; otherwise the order is read from time to time. */
  readonly onLive: (isLive: boolean) => void;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/** The service sends something every 12 seconds: a stream that is silent for longer than this is dead, or held back by a proxy. */
const silenceMs = 30_000;
const minPauseMs = 1000;
const maxPauseMs = 15_000;

/** An error in a result: with the same cursor it would be the same again. */
class ResultError extends Error {}

/**
 * Follows an order until it is completed: by a stream, which begins after the last event that arrived if it has to be opened again.
 * Where there is none, since the network is cut, a proxy refuses it or this address has too many, the order is read instead.
 */
export async function followOrder<Order extends FollowedOrder>(options: FollowOptions<Order>): Promise<void> {
  const { token, fields, onOrder, onLive, signal } = options;
  let cursor: string | undefined;
  let isOver = false;
  const show = (order: Order | null) => {
    if (signal.aborted) return;
    isOver = !order || order.completedAt !== null;
    onOrder(order);
  };

  async function read(): Promise<void> {
    const query = `query GuestOrder($token: String!) { guestOrder(token: $token) { ${fields} } }`;
    const response = await post(
      options,
      { query, variables: { token } },
      'application/json',
      AbortSignal.timeout(silenceMs),
    );
    show(dataOf<{ readonly guestOrder: Order | null }>(await response.json()).guestOrder);
  }

  async function stream(): Promise<void> {
    const query = `subscription GuestOrderEvents($token: String!, $after: String) {
      guestOrderEvents(token: $token, after: $after) { cursor order { ${fields} } }
    }`;
    const silence = new AbortController();
    let timer = setTimeout(() => silence.abort(), silenceMs);
    // The browser may know that the network is cut before the connection does.
    addEventListener('offline', () => silence.abort(), { signal: silence.signal });
    try {
      const payload = { query, variables: { token, after: cursor } };
      const response = await post(options, payload, 'text/event-stream', silence.signal);
      onLive(true);
      // From now on events arrive, so that nothing is missed between this and the first one.
      if (cursor === undefined) await read();
      for await (const block of blocksOf(response)) {
        clearTimeout(timer);
        timer = setTimeout(() => silence.abort(), silenceMs);
        const [, data] = /^event: next\n(?:id: .*\n)?data: (.*)$/m.exec(block) ?? [];
        if (data) {
          const event = dataOf<{ readonly guestOrderEvents: { cursor: string; order: Order } }>(JSON.parse(data));
          cursor = event.guestOrderEvents.cursor;
          show(event.guestOrderEvents.order);
        }
        if (isOver) return;
      }
    } finally {
      clearTimeout(timer);
      silence.abort();
    }
  }

  let pauseMs = minPauseMs;
  while (!isOver && !signal.aborted) {
    const openedAt = Date.now();
    await stream().catch(error => {
      if (error instanceof ResultError) cursor = undefined;
    });
    if (isOver || signal.aborted) break;
    onLive(false);
    await read().catch(() => {});
    if (Date.now() - openedAt > maxPauseMs) pauseMs = minPauseMs;
    if (!isOver) await pause(pauseMs * (0.5 + Math.random() / 2), signal);
    pauseMs = Math.min(2 * pauseMs, maxPauseMs);
  }
}

/** The token is sent in a body: a URL would be in logs. */
async function post(
  { url, key, signal }: FollowOptions<never>,
  payload: object,
  accept: string,
  limit: AbortSignal,
): Promise<Response> {
  const headers = { 'content-type': 'application/json', accept, 'x-api-key': key };
  const request = { method: 'POST', headers, body: JSON.stringify(payload), signal: AbortSignal.any([signal, limit]) };
  const response = await fetch(url, request);
  if (!response.ok) throw new Error(`The service responded with ${response.status}.`);
  return response;
}

function dataOf<Data>({
  data,
  errors,
}: {
  data?: Data | null;
  errors?: readonly { readonly message: string }[];
}): Data {
  if (errors?.[0] || !data) throw new ResultError(errors?.[0]?.message);
  return data;
}

/** The blocks of a response with Server-Sent Events, which are separated by an empty line. */
async function* blocksOf({ body }: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const reader = body?.getReader();
  let text = '';
  for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) {
    const blocks = (text + decoder.decode(read.value, { stream: true })).split('\n\n');
    text = blocks.pop() ?? '';
    yield* blocks;
  }
}

/** Waits, but not longer than until the network is back. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  const ended = AbortSignal.any([signal, AbortSignal.timeout(ms)]);
  return new Promise(resolve => {
    if (ended.aborted) resolve();
    ended.addEventListener('abort', () => resolve());
    addEventListener('online', () => resolve(), { signal: ended });
  });
}
