import { compareContracts } from '@carte/operations/contract/changes';
import { readContract } from '@carte/operations/contract/contract';
import { createSet } from '@carte/operations/contract/folders';
import { unlimited } from '@carte/operations/contract/sources';
import { describe, expect, test } from 'vitest';
import { permissionsIn } from '../../src/graphql/authorization.ts';
import { loadSchema } from '../../src/graphql/schema.ts';

const graph = loadSchema();

const set = `
extend schema @interface(title: "Shop", description: "A shop.", tags: [], ignoreUnknownFields: true)

query getTicket($order_id: ID!) @route(path: "/shop/tickets/{order_id}", summary: "A ticket") @tool(name: "ticket") {
  order(id: $order_id) { ...Ticket }
}

query listTickets(
  $store_id: ID!
  $status: [OrderStatus!] = [ACCEPTED]
  $limit: Int = 20 @range(min: 1, max: 100)
  $since: DateTime
  $name: String
) @route(path: "/shop/stores/{store_id}/tickets", constants: []) {
  store(id: $store_id) {
    orders(filter: { statuses: $status, createdFrom: $since, serviceTypes: [PICKUP], customerName: $name }, first: $limit) @body {
      count: totalCount
      tickets: nodes { ...Ticket }
    }
  }
}

query getPage($store_id: ID!) @route(path: "/shop/stores/{store_id}/page", constants: [{ name: "version", value: "2" }]) {
  store(id: $store_id) {
    id
    called: name @only(field: "translations") { translations }
    newest: orders(first: 5) { nodes { id } }
    last: completedOrders { id }
    dish: menu(externalId: "lunch") { id title: name @constants(fields: [{ name: "kind", value: "text" }]) { translations } }
    town: city
    open: menuLanguages
  }
}

query getContacts($store_id: ID!) @route(path: "/shop/stores/{store_id}/contacts") {
  store(id: $store_id) { id contacts @ifReadable }
}

mutation takeTicket(
  $store_id: ID!
  $key: String! @header(name: "Idempotency-Key")
  $customer: CustomerInput!
  $lines: [OrderLineInput!]!
  $service_type: ServiceType
  $tip: SafeInt
) @route(path: "/shop/stores/{store_id}/tickets", body: "NewTicket") {
  placeOrder(
    input: { storeId: $store_id, idempotencyKey: $key, customer: $customer, lines: $lines, serviceType: $service_type, tip: $tip }
  ) { order @body { ...Ticket } }
}

input NewTicket {
  NAME: String! @to(path: "customer.name")
  PHONE: String! = "" @to(path: "customer.phone")
  KIND: Int @to(path: "service_type") @values(map: [{ of: PICKUP, as: 1 }, { of: DELIVERY, as: 2 }])
  tip: String @to(path: "tip") @decimal
  LINES: [NewLine!]! @to(path: "lines")
}

input NewLine {
  PLU: String! @to(path: "itemExternalId")
  QTY: Int! = 1 @to(path: "quantity")
  MEMO: String @to(path: "note")
}

mutation moveTicket($order_id: ID!, $to: OrderStatus!, $if_match: SafeInt @ifMatch(etagsOf: ["moveTicket", "readTicket"]))
@route(path: "/shop/tickets/{order_id}") {
  changeOrderStatus(input: { orderId: $order_id, to: $to, expectedRevision: $if_match }) {
    order @body { revision @etag state: status }
  }
}

query readTicket($order_id: ID!) @route(path: "/shop/tickets/{order_id}/state") {
  order(id: $order_id) { revision @etag state: status }
}

query peek($order_id: ID!) @route(path: "/shop/tickets/{order_id}/peek") { order(id: $order_id) { revision @etag id } }

query findTickets(
  $store_id: ID!
  $state: OrderStatus = ACCEPTED @values(map: [{ of: ACCEPTED, as: "cooking" }, { of: READY, as: "bumped" }])
) @route(path: "/shop/stores/{store_id}/found") {
  store(id: $store_id) { orders(filter: { statuses: [$state] }) @body { total: totalCount } }
}

mutation seeTickets($ids: [ID!]!) @route(path: "/shop/seen") {
  markOrders(input: { orderIds: $ids, isRead: true }) { orders @body { id } }
}

query notifyShop($event: ID!) @webhook(events: [ORDER_PLACED, ORDER_CHANGED]) {
  event(messageId: $event) { what: kind order { number: id @at(path: "ticket.number") due: readyBy @at(path: "ticket.due") } }
}

fragment Ticket on Order {
  id
  cents: totalMinorUnits
  amount: priceMinorUnits @decimal
  due: readyBy
  state: status @values(map: [
    { of: PENDING, as: "new" }, { of: ACCEPTED, as: "taken" }, { of: READY, as: "done" }, { of: FULFILLED, as: "gone" }
    { of: REJECTED, as: "no" }, { of: STORE_CANCELLED, as: "off" }, { of: CUSTOMER_CANCELLED, as: "off" }
  ])
  note: customerComments @default(value: "")
  reason: statusReason
  guest: customer { name }
  lines: items
  seen: isRead
}`;

const graphPermissions = permissionsIn(graph);

const read = (text: string) => readContract(graph, createSet('shop', [{ path: 'a.graphql', text }]), unlimited, []);

/** What changes if a text of the set is another. */
function changesOf(from: string | RegExp, to: string) {
  const next = set.replace(from, to);
  if (next === set) throw new Error(`The set has no ${from}`);
  return compareContracts(read(set), read(next), graphPermissions);
}

type Pair = readonly [change: string, from: string | RegExp, to: string, found: string];

const breaking: readonly Pair[] = [
  ['another amount', 'cents: total', 'cents: price', 'Ticket.cents was "totalMinorUnits", and is "priceMinorUnits".'],
  ['another time', 'due: readyBy\n', 'due: createdAt\n', 'Ticket.due was "readyBy", and is "createdAt".'],
  ['another flag', 'seen: isRead', 'seen: inPos', 'Ticket.seen was "isRead", and is "inPos".'],
  [
    'another literal in a filter',
    'serviceTypes: [PICKUP], customerName: $name }',
    'serviceTypes: [DELIVERY], customerName: $name }',
    'The body of listTickets was "store(id: $store_id).orders(filter: {statuses: $status, createdFrom: $since, serviceTypes: [PICKUP], customerName: $name}, first: $limit)", and is "store(id: $store_id).orders(filter: {statuses: $status, createdFrom: $since, serviceTypes: [DELIVERY], customerName: $name}, first: $limit)".',
  ],
  ['a literal less', ', serviceTypes: [PICKUP]', '', 'The body of listTickets was '],
  ['a parameter that goes elsewhere', 'createdFrom: $since', 'createdUntil: $since', 'createdUntil: $since'],
  [
    'another literal below the body',
    'orders(first: 5)',
    'orders(first: 6)',
    'GetPageResponse.newest was "orders(first: 5)", and is "orders(first: 6)".',
  ],
  [
    'another literal in place of a default',
    'completedOrders {',
    'completedOrders(first: 10) {',
    'GetPageResponse.last was "completedOrders", and is "completedOrders(first: 10)".',
  ],
  ['another id', 'externalId: "lunch"', 'externalId: "dinner"', 'menu(externalId: "dinner")'],
  [
    'another constant of a route',
    'value: "2"',
    'value: "3"',
    'GetPageResponse.version was always "2", and is always "3".',
  ],
  ['another constant of a field', 'value: "text"', 'value: "map"', 'always "map"'],
  [
    'another field of the same type',
    'town: city',
    'town: adminArea',
    'GetPageResponse.town was "city", and is "adminArea".',
  ],
  [
    'another default of the body',
    '@default(value: "")',
    '@default(value: "-")',
    'Ticket.note, where the graph has nothing, was "", and is "-".',
  ],
  [
    'another default of a parameter',
    '= [ACCEPTED]',
    '= [READY]',
    'listTickets: status, if it is not given, was ["ACCEPTED"], and is ["READY"].',
  ],
  [
    'a default where there was none',
    '$name: String',
    '$name: String = "Ana"',
    'listTickets: name, if it is not given, was absent, and is "Ana".',
  ],
  ['a default less', '= [ACCEPTED]', '', 'listTickets: status, if it is not given, was ["ACCEPTED"], and is absent.'],
  ['a tool less', ' @tool(name: "ticket")', '', 'getTicket is no longer the tool ticket.'],
  ['another name of a tool', '@tool(name: "ticket")', '@tool', 'The tool of getTicket was ticket, and is getTicket.'],
  [
    'another value',
    '{ of: READY, as: "done" }',
    '{ of: READY, as: "ready" }',
    'Ticket.state: "READY" was "done", and is "ready".',
  ],
  [
    'another unit',
    'amount: priceMinorUnits @decimal',
    'amount: priceMinorUnits @decimal(digits: 3)',
    '@decimal(digits: 3, isText: false)',
  ],
  [
    'another field of an object',
    '@only(field: "translations") { translations }',
    '@only(field: "text") { text(languages: ["en"]) }',
    'GetPageResponse.called was "name.translations", and is "name.text(languages: ["en"])".',
  ],
  ['another field at a path', 'due: readyBy @at', 'due: createdAt @at', '.due was "readyBy", and is "createdAt".'],
  [
    'a field of an own body that goes elsewhere',
    'NAME: String! @to(path: "customer.name")\n  PHONE: String! = "" @to(path: "customer.phone")',
    'NAME: String! @to(path: "customer.phone")\n  PHONE: String! = "" @to(path: "customer.name")',
    'takeTicket: NAME was mapped by @to(path: "customer.name"), and is by @to(path: "customer.phone").',
  ],
  [
    'another value of an own body',
    '{ of: DELIVERY, as: 2 }',
    '{ of: DINE_IN, as: 2 }',
    'takeTicket: KIND: 2 was "DELIVERY", and is "DINE_IN".',
  ],
  [
    'another default of an own body',
    'QTY: Int! = 1',
    'QTY: Int! = 2',
    'NewLine.QTY, if it is not given, was 1, and is 2.',
  ],
  [
    'another value of a parameter',
    '"cooking" }, { of: READY, as: "bumped" }]',
    '"cooking" }, { of: FULFILLED, as: "bumped" }]',
    'findTickets: state: "bumped" was "READY", and is "FULFILLED".',
  ],
  [
    'a value less of a parameter',
    '"cooking" }, { of: READY, as: "bumped" }]',
    '"cooking" }]',
    'findTickets: state: "bumped" was "READY", and is unknown.',
  ],
  [
    'values of a parameter that are gone',
    / @values\(map: \[{ of: ACCEPTED, as: "cooking" }.*/,
    '',
    '"cooking" was "ACCEPTED", and is',
  ],
  [
    'another default of a parameter with values',
    'OrderStatus = ACCEPTED',
    'OrderStatus = READY',
    'findTickets: state, if it is not given, was "ACCEPTED", and is "READY".',
  ],
  ['another literal that is written', 'isRead: true', 'isRead: false', 'isRead: false'],
  [
    'another header',
    '"Idempotency-Key"',
    '"X-Key"',
    'takeTicket: key was in the header idempotency-key, and is in the header x-key.',
  ],
  [
    'an ETag that is no longer taken',
    '["moveTicket", "readTicket"]',
    '["moveTicket"]',
    'no longer takes the ETag of readTicket.',
  ],
  [
    'a message of fewer events',
    '[ORDER_PLACED, ORDER_CHANGED]',
    '[ORDER_PLACED]',
    'notifyShop is no longer the message of ORDER_CHANGED.',
  ],
  [
    'a permission more',
    'contacts @ifReadable',
    'contacts',
    'getContacts needs a key with READ_MENUS, which it did not.',
  ],
  [
    'a field of another permission',
    'id contacts',
    'id ordersRevision contacts',
    'getContacts needs a key with READ_ORDERS, which it did not.',
  ],
  [
    'unknown fields that are refused',
    ', ignoreUnknownFields: true',
    '',
    'Unknown fields of JSON bodies were ignored, and are 422.',
  ],
  ['a message less', /query notifyShop[^}]*}[^}]*}[^}]*}/, '', 'The message notifyShop was removed.'],
  ['a smaller bound', 'max: 100', 'max: 50', 'listTickets: limit is now at most 50.'],
  ['a bound of a field', 'town: city', 'town: city @atMost(bytes: 9)', '.town is now left out beyond 9 bytes.'],
  [
    'a default of an own body less',
    'PHONE: String! = ""',
    'PHONE: String!',
    'takeTicket: PHONE had a default, and is required.',
  ],
  [
    'a default less in an object of an own body',
    'QTY: Int! = 1',
    'QTY: Int!',
    'NewLine.QTY had a default, and is required.',
  ],
];

describe('a change that breaks callers is found, with both texts:', () => {
  test.each(breaking)('%s', (_change, from, to, found) => {
    const { breaking: changes } = changesOf(from, to);
    expect(changes).not.toEqual([]);
    expect(changes.join('\n')).toContain(found);
  });
});

type SafePair = readonly [change: string, from: string | RegExp, to: string, found?: string];

const safe: readonly SafePair[] = [
  ['a field more', 'cents: totalMinorUnits\n', 'cents: totalMinorUnits\n  tax: taxMinorUnits\n', 'Ticket.tax is new.'],
  ['other words', 'summary: "A ticket"', 'summary: "One ticket", description: "A ticket of a guest."'],
  ['another description of a tool', '@tool(name: "ticket")', '@tool(name: "ticket", description: "Finds a ticket.")'],
  ['a tool more', '"/shop/seen")', '"/shop/seen") @tool', 'seeTickets is the tool seeTickets, too.'],
  ['another order of fields', '  id\n  cents: totalMinorUnits', '  cents: totalMinorUnits\n  id'],
  ['another order of arguments', /\(filter: ({ statuses: .*?}), first: \$limit\)/, '(first: $limit, filter: $1)'],
  ['another order in an object', 'statuses: $status, createdFrom: $since', 'createdFrom: $since, statuses: $status'],
  ['a default that is written', 'completedOrders {', 'completedOrders(first: 30) {'],
  ['one value for a list of one', '[PICKUP]', 'PICKUP'],
  ['a number for an id', 'menu(externalId: "lunch")', 'menu(externalId: """lunch""")'],
  [
    'a literal that becomes a default',
    /(\$store_id: ID!)(\) @route\(path: "\/shop\/stores\/{store_id}\/page"[\s\S]*)first: 5/,
    '$1, $size: Int = 5 @range(min: 1, max: 9)$2first: $size',
    'size',
  ],
  [
    'a condition more that may be left out',
    /(\$since: DateTime\n)([\s\S]*)createdFrom: \$since/,
    '$1  $till: DateTime\n$2createdFrom: $since, createdUntil: $till',
    'till',
  ],
  [
    'a fragment for some of the fields',
    / {2}guest: customer { name }\n([\s\S]*)$/,
    '  ...More\n$1\nfragment More on Order { guest: customer { name } }',
  ],
  ['other spaces and comments', 'cents: total', '# What is due.\n  cents:   total'],
  [
    'another order of values',
    '{ of: READY, as: "done" }, { of: FULFILLED, as: "gone" }',
    '{ of: FULFILLED, as: "gone" }, { of: READY, as: "done" }',
  ],
  [
    'digits that are written',
    'amount: priceMinorUnits @decimal',
    'amount: priceMinorUnits @decimal(digits: 2, isText: false)',
  ],
  ['digits of an own body that are written', '"tip") @decimal', '"tip") @decimal(digits: 2)'],
  ['a path of an own body that is left out', 'tip: String @to(path: "tip")', 'tip: String'],
  [
    'a value more in an own body',
    '{ of: DELIVERY, as: 2 }',
    '{ of: DELIVERY, as: 2 }, { of: DINE_IN, as: 3 }',
    'takeTicket: KIND: 3 is new.',
  ],
  [
    'a value more of a parameter',
    '[{ of: ACCEPTED, as: "cooking" }, { of: READY',
    '[{ of: ACCEPTED, as: "pan" }, { of: ACCEPTED, as: "cooking" }, { of: READY',
    'findTickets: state: "pan" is new.',
  ],
  ['another name of a variable behind an own body', /service_type/g, 'way'],
  [
    'a field more in an own body',
    '  MEMO: String @to(path: "note")',
    '  MEMO: String @to(path: "note")\n  TILL: String @unused',
    'TILL',
  ],
  ['an own field that may be left out', 'NAME: String! @to', 'NAME: String! = "-" @to'],
  ['a larger bound', 'max: 100', 'max: 200'],
  ['another title', 'title: "Shop"', 'title: "The shop"'],
  [
    'a message of more events',
    '[ORDER_PLACED, ORDER_CHANGED]',
    '[ORDER_PLACED, ORDER_CHANGED, MENU_CHANGED]',
    'notifyShop is the message of MENU_CHANGED, too.',
  ],
  [
    'a field more in a message',
    'number: id @at',
    'total: totalMinorUnits number: id @at',
    'NotifyShopResponseOrder.total is new.',
  ],
  ['an ETag more that is taken', '["moveTicket", "readTicket"]', '["moveTicket", "readTicket", "peek"]'],
  [
    'a route more',
    'query getTicket(',
    'query getState($id: ID!) @route(path: "/shop/state/{id}") { order(id: $id) { id } }\n\nquery getTicket(',
    'getState (GET /shop/state/{id}) is new.',
  ],
  ['another ETag', '    id\n    called', '    menuRevision @etag\n    id\n    called'],
  ['a permission less', 'contacts @ifReadable', 'phone @ifReadable contacts @ifReadable'],
];

describe('a change that breaks nobody is found to do so:', () => {
  test.each(safe.map(([change, from, to, found = '']) => [change, from, to, found] as const))(
    '%s',
    (_change, from, to, found) => {
      const { breaking: changes, safe: additions } = changesOf(from, to);
      expect(changes).toEqual([]);
      expect(additions.join('\n')).toContain(found);
    },
  );
});

describe('what is deprecated', () => {
  const deprecated = (sunset: string) => `@deprecated(reason: "Use ids.", sunset: "${sunset}")`;
  /** The set with a route, a field with a type of its own, a parameter and a field of an own body that are to be removed. */
  const withSunset = (mark: string) =>
    set
      .replace('/peek")', `/peek") ${mark}`)
      .replace('newest: orders(first: 5)', `newest: orders(first: 5) ${mark}`)
      .replace('$name: String', `$name: String ${mark}`)
      .replace('MEMO: String', `MEMO: String ${mark}`);
  const without = set
    .replace(/query peek.*\n/, '')
    .replace(/ +newest: .*\n/, '')
    .replace(/ +\$name: String\n/, '')
    .replace(', customerName: $name', '')
    .replace(/ +MEMO: .*\n/, '');
  const compare = (before: string, after: string) =>
    compareContracts(read(before), read(after), graphPermissions, new Date('2027-06-30T12:00:00Z'));
  const today = withSunset(deprecated('2027-06-30'));

  test('breaks nobody when it is marked, whether or not with dates', () => {
    const sentence = 'Deprecated, to be removed on 2027-06-30: Use ids.';
    expect(compare(set, today)).toEqual({
      breaking: [],
      dangerous: [],
      safe: [
        `listTickets: name: ${sentence}`,
        `GetPageResponse.newest: ${sentence}`,
        `peek (GET /shop/tickets/{order_id}/peek): ${sentence}`,
        `NewLine.MEMO: ${sentence}`,
      ],
    });
    expect(compare(set, withSunset('@deprecated')).breaking).toEqual([]);
    expect(compare(today, set).safe).toContain('GetPageResponse.newest is no longer deprecated.');
  });

  test('may go from the day of its sunset on, with what only it refers to', () => {
    const { breaking: changes, safe: announced } = compare(today, without);
    expect(changes).toEqual([]);
    expect(announced).toEqual([
      'peek (GET /shop/tickets/{order_id}/peek) was removed, as announced for 2027-06-30.',
      'listTickets parameter name was removed, as announced for 2027-06-30.',
      'GetPageResponse.newest was removed, as announced for 2027-06-30.',
      'NewLine.MEMO was removed, as announced for 2027-06-30.',
    ]);
  });

  test('breaks callers when it goes earlier, or was not announced', () => {
    const early = compare(withSunset(deprecated('2027-07-01')), without).breaking;
    expect(early).toEqual([
      'peek (GET /shop/tickets/{order_id}/peek) was removed, before the announced 2027-07-01.',
      expect.stringMatching(/^GetPageResponseNewest\w* was removed\.$/),
      expect.stringMatching(/^GetPageResponseNewest\w* was removed\.$/),
      'PeekResponse was removed.',
      'listTickets parameter name was removed, before the announced 2027-07-01.',
      'GetPageResponse.newest was removed, before the announced 2027-07-01.',
      'NewLine.MEMO was removed, before the announced 2027-07-01.',
    ]);
    expect(compare(withSunset('@deprecated'), without).breaking).toContain('GetPageResponse.newest was removed.');
  });

  test('may be announced for a later day, not for an earlier one', () => {
    const [earlier, later] = ['2027-06-29', '2027-07-01'].map(day => compare(today, withSunset(deprecated(day))));
    expect(earlier?.breaking).toContain('NewLine.MEMO was to be removed on 2027-06-30, and is on 2027-06-29.');
    expect([later?.breaking, later?.safe]).toEqual([
      [],
      expect.arrayContaining(['NewLine.MEMO was to be removed on 2027-06-30, and is on 2027-07-01.']),
    ]);
  });

  test('leaves the ETags of a route as they were', () => {
    const hashOf = (text: string) => read(text).operations.map(({ name, hash }) => [name, hash]);
    expect(hashOf(today)).toEqual(hashOf(set));
  });
});
