import { randomUUID } from 'node:crypto';
import { quietStores } from '../../support/replicas.ts';
import type { Pair } from '../../support/standby.ts';
import { configuration } from '../support/menu.ts';

interface Services {
  /** Two services, alternately written to and read from. */
  readonly urls: readonly [string, string];
  readonly key: string;
  readonly pair: Pair;
}

const menuQuery = 'query Menu($id: ID!) { store(id: $id) { menuRevision items { name { translations } } } }';

const ordersQuery =
  'query Orders($id: ID!) { store(id: $id) { orders(first: 20) { totalCount nodes { id status } } } }';

/** Writes and at once reads through another process; returns the stale reads. */
export async function runPairs(services: Services, pairs: number, workers: number): Promise<string[]> {
  const stale: string[] = [];
  let next = 0;
  const work = async (storeId: string) => {
    for (let number = next++; number < pairs; number = next++) {
      const problem = await (number % 4 === 3 ? orderPair : menuPair)(services, storeId, number);
      if (problem) stale.push(problem);
    }
  };
  await Promise.all(quietStores.slice(0, workers).map(work));
  return stale;
}

async function menuPair({ urls, key }: Services, id: string, number: number): Promise<string | undefined> {
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

async function orderPair({ urls, key, pair }: Services, storeId: string, number: number): Promise<string | undefined> {
  const id = randomUUID();
  const url = urls[number % 8 === 3 ? 0 : 1];
  const read = () =>
    number % 16 < 8
      ? send(`${url}/v1/stores/${storeId}/orders/?page_size=20`, key)
      : send(`${url}/graphql`, key, { query: ordersQuery, variables: { id: storeId } });
  // So that the response is kept.
  for (let time = 0; time < 3; time++) await read();
  await pair.onPrimary(`
    insert into orders (id, store_id, created_at, status, customer_name, customer_phone, price, tax, items, ready_by, is_read, in_pos)
    values ('${id}', '${storeId}', now(), 'PENDING', 'Ana', '1', 1200, 120, '[]', now(), false, false)`);
  const { status, text } = await read();
  return status === 200 && text.includes(id) ? undefined : `order ${id}: ${status}`;
}

async function send(url: string, key: string, body?: unknown) {
  const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const response = await fetch(url, { ...init, headers: { 'x-api-key': key, 'content-type': 'application/json' } });
  return { status: response.status, text: await response.text() };
}
