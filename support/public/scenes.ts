import { seededRandom } from '../../src/demo/random.ts';
import type { HttpRequest } from '../fair-shares/request.ts';
import { documentsOverLimits } from '../hostile/documents.ts';
import {
  announceBodies,
  graphql,
  guest,
  type House,
  largeQuery,
  menuQuery,
  neighbourStoreId,
  sendWithoutReading,
  storeId,
} from './house.ts';
import { secretScenes } from './secrets.ts';

/** What the public does, and who must be served meanwhile. */
export interface Scene {
  readonly name: string;
  /** Begins what lasts until the returned function is called. */
  readonly begin: (house: House, seed: string) => Promise<() => void> | (() => void);
  /** Requests that must be served as if nobody else were there; those of one seed are sent one after another. */
  readonly honest: (house: House, seed: string) => readonly HttpRequest[];
  /** What must hold afterwards, each in a sentence if it does not. */
  readonly check?: (house: House, seed: string) => Promise<readonly string[]>;
}

const withKey = (key: string) => ({ 'x-api-key': key });
const paths = { store: `/v1/stores/${storeId}`, tree: `/v1/stores/${neighbourStoreId}/menu_configuration/` };

/** A POS, an office and a neighbour, with what they read every day. */
const houseRequests = ({ keys }: House, seed: string): HttpRequest[] => [
  { path: paths.store, headers: withKey(keys.pos) },
  { path: paths.tree, headers: withKey(keys.neighbour) },
  graphql(withKey(keys.pos), menuQuery(`pos${seed}`)),
  graphql(withKey(keys.office), menuQuery(`office${seed}`, neighbourStoreId)),
];

/** Responses that no request deserves, by seed. */
const failures = new Map<string, string[]>();

/** Many requests at once that nobody waits for; the returned function sends no more. */
function flood(house: House, atOnce: number, requestOf: (number: number) => HttpRequest, seed = ''): () => void {
  let isOver = false;
  let sent = 0;
  const lane = async () => {
    while (!isOver) {
      const { status, text } = await house.client.send(requestOf(sent++));
      if (status >= 500) failures.set(seed, [...(failures.get(seed) ?? []), `${status} ${text.slice(0, 100)}`]);
      // Refused at once: a client that is in a hurry still takes a breath.
      if (status !== 200) await new Promise(resolve => setTimeout(resolve, 20));
    }
  };
  for (let number = 0; number < atOnce; number++) void lane();
  return () => {
    isOver = true;
  };
}

const failuresOf = async (_house: House, seed: string) => failures.get(seed) ?? [];

/** Seeds with which a menu of another restaurant was evicted. */
const evicted = new Set<string>();

const padded = (bytes: number) =>
  JSON.stringify({ query: '{ __typename }', extensions: { padding: 'x'.repeat(bytes) } });

export const scenes: readonly Scene[] = [
  {
    name: 'documents of guests that exceed the limits',
    begin(house, seed) {
      const documents = documentsOverLimits(seededRandom(seed));
      const requestOf = (number: number) => {
        const { text = '' } = documents[number % documents.length] ?? {};
        const round = Math.floor(number / documents.length);
        const path = (number + round) % 2 === 0 ? '/openapi/preview' : '/graphql';
        return { ...graphql(guest(house, number % 20), text), path };
      };
      return flood(house, 6, requestOf, seed);
    },
    honest: houseRequests,
    check: failuresOf,
  },
  {
    name: 'searches of guests for many words',
    begin(house, seed) {
      const { between, pick } = seededRandom(seed);
      const search = () => Array.from({ length: between(1, 100) }, () => pick([...'abcdehilnoprstu'])).join(' ');
      const fields = () =>
        Array.from({ length: 5 }, (_, at) => `a${at}: stores(first: 1, search: "${search()}") { totalCount }`);
      return flood(house, 6, number => graphql(guest(house, number % 20, 1), `{ ${fields().join(' ')} }`), seed);
    },
    honest: houseRequests,
    async check(house, seed) {
      const words = Array.from({ length: seededRandom(seed).between(50, 100) }, (_, at) => 'aehilnorst'[at % 10]);
      const query = `{ stores(first: 1, search: "${words.join(' ')}") { totalCount } }`;
      const { text } = await house.client.send(graphql(guest(house, 1, 1), query));
      const isSearched = !text.includes('BAD_USER_INPUT');
      return [...(await failuresOf(house, seed)), ...(isSearched ? [`${words.length} words are searched for`] : [])];
    },
  },
  {
    name: 'caches between guests and the service',
    begin: () => () => {},
    honest: houseRequests,
    async check(house, seed) {
      const requests = [...houseRequests(house, seed), graphql(guest(house, 1), menuQuery(seed))];
      const responses = await Promise.all(requests.map(request => house.client.send(request)));
      const told = responses.map(({ headers }) => headers['cache-control'] ?? 'nothing');
      return told.filter(control => !/^(private, no-cache|no-store)$/.test(control)).map(control => `told ${control}`);
    },
  },
  {
    name: 'a guest who does not read asks first for what others ask for',
    begin(house, seed) {
      const stop = [0, 1, 2].map(number =>
        sendWithoutReading(house, [graphql(guest(house, 1), largeQuery(`hold${seed}${number}`))]),
      );
      const first = sendWithoutReading(house, [graphql(guest(house, 1), menuQuery(`first${seed}`))]);
      return () => {
        for (const close of [...stop, first]) close();
      };
    },
    honest: (house, seed) => [
      graphql(withKey(house.keys.pos), menuQuery(`first${seed}`)),
      graphql(withKey(house.keys.office), menuQuery(`first${seed}`)),
      graphql(guest(house, 2), menuQuery(`first${seed}`)),
      ...houseRequests(house, seed),
    ],
  },
  {
    name: 'bodies that guests announce and do not send',
    begin(house) {
      const { pages } = house.keys;
      const stops = ['Content-Length: 300000', 'Transfer-Encoding: chunked'].map(framing =>
        announceBodies(house, pages, { each: 16, framing }),
      );
      return () => {
        for (const stop of stops) stop();
      };
    },
    honest: (house, seed) => [
      { path: '/graphql', headers: withKey(house.keys.neighbour), body: padded(300_000) },
      { path: '/graphql', headers: withKey(house.keys.pos), body: padded(300_000) },
      ...houseRequests(house, seed),
    ],
  },
  {
    name: 'bodies that keys announce and do not send',
    begin(house) {
      const { pos, office } = house.keys;
      return announceBodies(house, [pos, office], { each: 16, framing: 'Content-Length: 300000' });
    },
    honest: (house, seed) => [
      { path: '/graphql', headers: withKey(house.keys.neighbour), body: padded(300_000) },
      ...houseRequests(house, seed),
    ],
  },
  {
    name: 'expensive queries of one guest',
    begin: (house, seed) =>
      flood(house, 12, number => graphql(guest(house, 1), largeQuery(`large${seed}${number}`, 10))),
    honest: (house, seed) => [
      graphql(guest(house, 2), menuQuery(`other${seed}`)),
      graphql(guest(house, 3, 1), menuQuery(`page${seed}`)),
      ...houseRequests(house, seed),
    ],
  },
  {
    name: 'expensive queries of many guests',
    begin: (house, seed) =>
      flood(house, Math.ceil(100 / house.divisor), number =>
        graphql(guest(house, 10 + (number % 100)), largeQuery(`many${seed}${number}`, 10)),
      ),
    honest: houseRequests,
  },
  {
    name: 'queries of many guests that are refused',
    begin: (house, seed) =>
      flood(house, Math.ceil(100 / house.divisor), number =>
        graphql(
          guest(house, 10 + (number % 100)),
          largeQuery(`refused${seed}${number}`, 10).replaceAll('menus', 'items'),
        ),
      ),
    honest: houseRequests,
  },
  {
    name: 'hundreds of guests who wait, and a key that is new to the process',
    begin(house, seed) {
      const count = 700;
      const requests = Array.from({ length: count }, (_, number) =>
        graphql(guest(house, number), largeQuery(`wait${seed}${number}`, 10)),
      );
      const close = sendWithoutReading(house, requests);
      // Until they are all read: a moment after the last was sent.
      return new Promise(resolve => setTimeout(() => resolve(close), 500));
    },
    honest(house, seed) {
      const key = house.unseen.pop() ?? '';
      return [{ path: paths.store, headers: withKey(key) }, ...houseRequests(house, seed)];
    },
  },
  {
    name: 'a guest who varies languages and names until the cache is full',
    async begin(house, seed) {
      const { keys, client } = house;
      const read = () => client.send({ path: paths.tree, headers: withKey(keys.neighbour) });
      await read();
      const inLanguages = largeQuery(`vary${seed}`, 1).replace('{', 'query ($languages: [String!]!) {');
      const query = inLanguages.replaceAll('translations', 'text(languages: $languages)');
      for (let number = 0; number < Math.ceil(200 / house.divisor); number++) {
        await client.send(graphql(guest(house, 1), query, { languages: [`x${number}`, 'pt', `y-${number}`] }));
        await client.send(graphql(guest(house, 1), largeQuery(`vary${seed}${number}`, 1)));
      }
      const before = await missesOf(house);
      await read();
      if ((await missesOf(house)) > before) evicted.add(seed);
      return () => {};
    },
    honest: houseRequests,
    check: async (_house, seed) =>
      evicted.has(seed) ? ['the menu of another restaurant was evicted from the cache'] : [],
  },
  {
    name: 'a guest who makes up names of operations',
    async begin(house, seed) {
      const names = Array.from({ length: 150 }, (_, number) => `Made_up_${seed}_${number}`);
      await Promise.all(
        names.map((name, number) =>
          house.client.send(graphql(guest(house, number), `query ${name} { store(id: "${storeId}") { id } }`)),
        ),
      );
      return () => {};
    },
    honest: (house, seed) => [
      graphql(withKey(house.keys.pos), `query Pos_${seed} { store(id: "${storeId}") { id } }`),
      ...houseRequests(house, seed),
    ],
    async check(house, seed) {
      const { text } = await house.client.send({ path: '/metrics' });
      const found = [/operation="Made_up_/, new RegExp(`operation="Pos_${seed}"`)].map(name => name.test(text));
      return [
        ...(found[0] ? ['metrics have names that guests made up'] : []),
        ...(found[1] ? [] : ['metrics lack the name of an operation of a POS']),
      ];
    },
  },
  ...secretScenes,
];

async function missesOf({ client }: House): Promise<number> {
  const { text } = await client.send({ path: '/metrics' });
  return Number(/^carte_response_cache_lookups_total\{outcome="miss"\} (\d+)/m.exec(text)?.[1]);
}
