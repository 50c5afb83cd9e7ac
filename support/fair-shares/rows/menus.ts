import type { HttpRequest } from '../request.ts';
import type { Row, Target } from '../row.ts';
import { aliased, graphqlRow, httpRow, scaled } from './build.ts';

const wholeTree = (alias: string) => `${alias}: menus {
  externalId
  categories { externalId items { externalId price { amount } modifierGroups { externalId modifierItems { externalId priceChange { amount } } } } }
}`;

const pathOf = (storeId = '') => `/v1/stores/${storeId}/menu_configuration/`;

/** A store of the attacker whose menu is posted again and again. */
const postedStoreOf = ({ storeIds }: Target) => storeIds[1];

/** One menu for each few items, in so many languages, with so many time periods on each day. */
function menuInLanguages(target: Target, price: number, languages: number, keyLength: number, periods: number) {
  const count = scaled(500, target);
  const pad = `${'-x'.repeat(keyLength)}`.slice(0, Math.max(0, keyLength - 4));
  const translations = Object.fromEntries(Array.from({ length: languages }, (_, at) => [`l${at}${pad}`, `t${at}`]));
  const time = (minutes: number) =>
    `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
  const time_periods = Array.from({ length: periods }, (_, at) => {
    const start = (at * 13) % 1440;
    return { start_time: time(start), end_time: time((start + 7) % 1440) };
  });
  const ids = Array.from({ length: count }, (_, at) => `item-${at}`);
  const few = ids.slice(0, Math.ceil(count / 25));
  return {
    items: ids.map((external_id, at) => ({
      external_id,
      name: { translations: at < count / 10 ? translations : {} },
      price,
      tax: 0,
      sell_separately: true,
    })),
    categories: [{ external_id: 'all', name: { translations: {} }, item_external_ids: ids }],
    menus: few.map(external_id => ({
      external_id,
      availability: ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'].map(day_of_week => ({
        day_of_week,
        time_periods,
      })),
      category_external_ids: ['all'],
    })),
  };
}

/** Posts the menu with another price every few turns, and reads it in between by queries that no cache has. */
const postAndRead =
  (menuAt: (target: Target, price: number) => object, selectAt: (turn: number) => string) =>
  (target: Target): ((turn: number) => HttpRequest) => {
    const bodies = [1, 2].map(price => JSON.stringify(menuAt(target, price)));
    const id = postedStoreOf(target);
    return turn => {
      if (turn % 4 === 0) return { path: pathOf(id), body: bodies[(turn / 4) % 2] ?? '' };
      return { path: '/graphql', body: JSON.stringify({ query: `{ store(id: "${id}") { ${selectAt(turn)} } }` }) };
    };
  };

const longTags = (turn: number) => Array.from({ length: 4 }, (_, at) => `"l${turn}${at}${'-y'.repeat(40)}"`);

const time = (turn: number) => new Date(Date.UTC(2036, 0, 1) + turn * 3_600_000).toISOString();

/** The current configuration of the largest menu, in responses that no cache has, and its replacement. */
export const menuRows: readonly Row[] = [
  graphqlRow(
    { name: '12 at once: the whole tree, not cached', key: 'read', atOnce: 12, goal: 'allowed' },
    target => turn => ({
      query: `query ($id: ID!) { store(id: $id) { ${wholeTree(`a${turn}`)} } }`,
      variables: { id: target.largeStoreId },
    }),
  ),
  graphqlRow(
    { name: '12 at once: menuDiagnostics × 40, not cached', key: 'read', atOnce: 12, requests: 24 },
    target => turn => ({
      query: `query ($id: ID!) { store(id: $id) { t${turn}: id ${aliased(40, () => 'menuDiagnostics { message }')} } }`,
      variables: { id: target.largeStoreId },
    }),
  ),
  // Half of the objects that a response may have.
  graphqlRow({ name: 'all items × 12, not cached', key: 'read', requests: 8, goal: 'allowed' }, target => turn => ({
    query: `query ($id: ID!) { store(id: $id) { t${turn}: id ${aliased(12, () => 'items { externalId price { amount } }')} } }`,
    variables: { id: target.largeStoreId },
  })),
  httpRow({ name: '12 at once: POST of the largest menu', key: 'write', atOnce: 12, goal: 'allowed' }, target => {
    const path = `/v1/stores/${target.largeStoreId}/menu_configuration/`;
    const [start, end] = target.menuBody.split('House item-0"');
    return turn => ({ path, body: `${start}House item ${turn}"${end}` });
  }),
  httpRow(
    {
      name: 'a menu in 100 languages, and its texts for 99 lists of long tags',
      key: 'write',
      goal: 'allowed',
      isShort: true,
    },
    postAndRead(
      (target, price) => menuInLanguages(target, price, 100, 64, 1),
      turn => `items { name { ${aliased(99, at => `text(languages: [${longTags(100 * turn + at)}])`)} } }`,
    ),
  ),
  httpRow(
    {
      name: 'menus with 100 periods a day, and their availability at 99 times',
      key: 'write',
      goal: 'allowed',
      isShort: true,
    },
    postAndRead(
      (target, price) => menuInLanguages(target, price, 1, 4, 100),
      turn => `${aliased(66, at => `menus(availableAt: "${time(turn + at)}") { id }`)} menus {
        ${Array.from({ length: 33 }, (_, at) => `b${at}: nextAvailableAt(from: "${time(turn + at)}")`)} }`,
    ),
  ),
  httpRow({ name: 'POST of a menu in 9,000 languages', key: 'write', goal: 'refused', isShort: true }, target => ({
    path: pathOf(postedStoreOf(target)),
    body: JSON.stringify(menuInLanguages(target, 1, 9_000, 8, 1)),
  })),
  httpRow({ name: 'POST of a language key of 50,000 characters', key: 'write', goal: 'refused' }, target => ({
    path: pathOf(postedStoreOf(target)),
    body: JSON.stringify(menuInLanguages(target, 1, 1, 50_000, 1)),
  })),
  graphqlRow({ name: 'setStock × 50 at the largest menu', key: 'write', requests: 8 }, target => turn => ({
    query: `mutation ($id: ID!) { ${aliased(
      50,
      at =>
        `setStock(input: { storeId: $id, items: [{ externalId: "item-${200 + at}", inStock: ${turn % 2 === 1} }] }) { revision }`,
    )} }`,
    variables: { id: target.largeStoreId },
  })),
];
