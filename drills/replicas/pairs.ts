import type { Store } from '../../src/store/entities.ts';
import type { createData } from '../../test/support/data.ts';
import { configuration } from '../support/menu.ts';

export interface Services {
  /** Two services, alternately written to and read from. */
  readonly urls: readonly [string, string];
  readonly key: string;
  readonly data: ReturnType<typeof createData>;
}

const menuQuery = 'query Menu($id: ID!) { store(id: $id) { menuRevision items { name { translations } } } }';

/** Writes and at once reads through another process; returns the stale reads. */
export async function runPairs(services: Services, pairs: number, workers: number): Promise<string[]> {
  const stale: string[] = [];
  let next = 0;
  const work = async () => {
    const store = await services.data.store();
    for (let number = next++; number < pairs; number = next++) {
      const problem = number % 4 === 3 ? await orderPair(services, store) : await menuPair(services, store, number);
      if (problem) stale.push(problem);
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
  return stale;
}

async function menuPair({ urls, key }: Services, { id }: Store, number: number): Promise<string | undefined> {
  const [writer, reader] = number % 2 === 0 ? urls : urls.toReversed();
  const mark = `w${number}-0`;
  const path = `/v1/stores/${id}/menu_configuration/`;
  const written = await send(`${writer}${path}`, key, configuration(mark, 40));
  const reads = [
    () => send(`${reader}${path}`, key),
    () => send(`${reader}${path}flat`, key),
    () => send(`${reader}/graphql`, key, { query: menuQuery, variables: { id } }),
  ];
  const read = await reads[number % 3]?.();
  const isRight = written.status === 200 && read?.status === 200 && read.text.includes(`"${mark}"`);
  return isRight ? undefined : `${mark}: ${written.status}, then ${read?.status} ${read?.text.slice(0, 200)}`;
}

async function orderPair({ urls, key, data }: Services, store: Store): Promise<string | undefined> {
  const [order] = await data.orders(store, 1, { createdAt: new Date() });
  const url = urls[Math.floor(Math.random() * urls.length)];
  const { status, text } = await send(`${url}/v1/stores/${store.id}/orders/?page_size=20`, key);
  return order && status === 200 && text.includes(order.id) ? undefined : `order ${order?.id}: ${status}`;
}

export async function send(url: string, key: string, body?: unknown) {
  const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const answer = await fetch(url, { ...init, headers: { 'x-api-key': key, 'content-type': 'application/json' } });
  return { status: answer.status, text: await answer.text() };
}
