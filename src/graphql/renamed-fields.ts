type Names = Readonly<Record<string, string>>;

const replaceEach = (names: readonly string[], use: (name: string) => string): Names =>
  Object.fromEntries(names.map(name => [name, use(name)]));
const amounts = (...names: string[]) => replaceEach(names, name => `${name} { amount }`);
const inInput = (...names: string[]) => replaceEach(names, name => `input: { ${name} }`);
const ofPages = { skip: 'after', limit: 'first' };
const address = [
  ...['addressLine1', 'addressLine2', 'addressLine3', 'city', 'postalCode', 'country', 'locationName', 'adminArea'],
];

/**
 * What 0.2 had and 1.0 has not, with what replaces it, by the type of a field, or by the field of an argument: for errors about it, and for docs/upgrading.md.
 * A test finds what is missing.
 */
export const renamedFields: Readonly<Record<string, Names>> = {
  Category: { numericId: 'id' },
  ChangePricesPayload: { revision: 'store { menuRevision }' },
  CreateApiKeyPayload: { key: 'secret' },
  Event: { revision: 'menuRevision' },
  Menu: { numericId: 'id' },
  'Menu.nextAvailableAt': { after: 'from' },
  MenuChanges: { count: 'totalCount', hasMore: 'pageInfo { hasNextPage }' },
  'MenuConfiguration.diagnostics': { severity: 'severities' },
  MenuDiagnostic: { place: 'path' },
  MenuEvent: { revision: 'menuRevision' },
  MenuHistoryConnection: { count: 'totalCount' },
  MenuItem: {
    ...amounts('price', 'tax'),
    allergens: 'allergensText',
    modifierExternalIds: 'modifierGroupExternalIds',
    modifierItems: 'usedAsModifierItems',
    numericId: 'id',
    prepTime: 'preparationMinutes',
    prepType: 'preparationType',
  },
  MenuItemInput: {
    allergens: 'allergensText',
    modifierExternalIds: 'modifierGroupExternalIds',
    prepTime: 'preparationMinutes',
  },
  MenuRevision: { changes: 'counts' },
  'MenuRevision.menuChanges': ofPages,
  'Merchant.stores': ofPages,
  MerchantConnection: { count: 'totalCount' },
  ModifierGroup: { items: 'usedByItems', numericId: 'id' },
  ModifierItem: {
    ...amounts('priceChange', 'taxChange'),
    groups: 'modifierGroups',
    menuItem: 'item',
    menuItemExternalId: 'itemExternalId',
    numericId: 'id',
  },
  ModifierItemInput: { menuItemExternalId: 'itemExternalId' },
  Mutation: { redeliverWebhookMessage: 'redeliverWebhookMessage { attempt }', testWebhook: 'testWebhook { attempt }' },
  'Mutation.changeOrderStatus': {
    ...inInput('orderId', 'to', 'from', 'reason', 'idempotent'),
    readyBy: 'input: { confirmedReadyBy }',
  },
  'Mutation.changePrices': {
    ...inInput('storeId', 'items', 'modifierItems'),
    expectedRevision: 'input: { expectedMenuRevision }',
  },
  'Mutation.markOrders': inInput('storeId', 'orderIds', 'isRead', 'inPos'),
  'Mutation.pauseWebhook': { id: 'input: { webhookId }' },
  'Mutation.redeliverWebhookEvents': { id: 'input: { webhookId }', ...inInput('since') },
  'Mutation.redeliverWebhookMessage': { id: 'input: { webhookId }', ...inInput('messageId') },
  'Mutation.removeWebhook': { id: 'input: { webhookId }' },
  'Mutation.replaceMenuConfiguration': {
    ...inInput('storeId'),
    expectedRevision: 'input: { expectedMenuRevision }',
  },
  'Mutation.restoreMenuConfiguration': {
    ...inInput('storeId', 'revision'),
    expectedRevision: 'input: { expectedMenuRevision }',
  },
  'Mutation.resumeWebhook': { id: 'input: { webhookId }' },
  'Mutation.revokeApiKey': { id: 'input: { apiKeyId }' },
  'Mutation.rotateApiKey': { id: 'input: { apiKeyId }' },
  'Mutation.rotateWebhookSecret': { id: 'input: { webhookId }' },
  'Mutation.setSpecialHours': inInput('storeId', 'hours'),
  'Mutation.setStock': inInput('storeId', 'items', 'modifierItems'),
  'Mutation.setStoreOrdering': inInput('storeId', 'state', 'until', 'delayMinutes', 'reason'),
  'Mutation.testWebhook': { id: 'input: { webhookId }' },
  Order: amounts('price', 'tax', 'total', 'tip'),
  OrderAdjustment: amounts('amount', 'tax'),
  OrderConnection: {
    count: 'totalCount',
    endCursor: 'pageInfo { endCursor }',
    hasNextPage: 'pageInfo { hasNextPage }',
    pageIndex: 'pageInfo',
    pageSize: 'pageInfo',
  },
  OrderFilter: {
    endTime: 'createdUntil',
    phoneDigits: 'customerPhoneContains',
    phoneNumber: 'customerPhoneEndsWith',
    serviceType: 'serviceTypes',
    startTime: 'createdFrom',
    status: 'statuses',
  },
  OrderLine: amounts('price', 'tax', 'totalPrice', 'totalTax'),
  OrderLineModifier: { ...amounts('priceChange', 'taxChange'), groupExternalId: 'modifierGroupExternalId' },
  OrderModifierInput: { groupExternalId: 'modifierGroupExternalId' },
  OrderPayment: amounts('amount'),
  OrderQuote: amounts('price', 'tax', 'total', 'tip'),
  OrderStep: { by: 'keyName', readyBy: 'confirmedReadyBy' },
  PhoneNumber: { createDateTime: 'createdAt' },
  PhoneNumberInput: { createDateTime: 'createdAt' },
  Query: { apiKeys: 'apiKeys { nodes }', webhooks: 'webhooks { nodes }' },
  'Query.apiKeys': ofPages,
  'Query.events': { wait: 'waitSeconds' },
  'Query.merchants': ofPages,
  'Query.stores': ofPages,
  'Query.webhooks': ofPages,
  RedeliverWebhookEventsPayload: { events: 'eventCount' },
  ReplaceMenuConfigurationPayload: { diagnostics: 'store { menuDiagnostics }', revision: 'store { menuRevision }' },
  RestoreMenuConfigurationPayload: { revision: 'store { menuRevision }' },
  RotateApiKeyPayload: { key: 'secret' },
  SaveStoreInput: {
    ...replaceEach(address, name => `address: { ${name} }`),
    name: 'name: { translations }',
    storePhone: 'phone',
  },
  SaveStorePayload: { revision: 'store { menuRevision }' },
  SetStockPayload: { revision: 'store { menuRevision }' },
  Store: {
    ...replaceEach(address, name => `address { ${name} }`),
    localizedNames: 'name { translations }',
    name: 'name { text }',
    soldOutUntil: 'temporarilySoldOut',
    storePhone: 'phone',
  },
  'Store.events': { wait: 'waitSeconds' },
  'Store.menuChanges': ofPages,
  'Store.menuDiagnostics': { severity: 'severities' },
  'Store.orders': { pageIndex: 'after', pageSize: 'first' },
  StoreConnection: { count: 'totalCount' },
  Webhook: { deliveries: 'deliveries { nodes }' },
  'Webhook.deliveries': ofPages,
  WebhookAttempt: { status: 'httpStatus' },
  WebhookDelivery: { attempts: 'attemptCount', status: 'httpStatus' },
  type: {
    MenuConfigurationInput: 'ReplaceMenuConfigurationInput',
    MerchantInput: 'SaveMerchantInput',
    OrderAddress: 'Address',
    SoldOutUntil: 'TemporarilySoldOut',
    StoreInput: 'SaveStoreInput',
    StringMaps: 'StringMap',
  },
};

/** Ends a message about a name of 0.2. */
export function suggestNewName(owner: string, name: string): string | undefined {
  const names = renamedFields[owner] ?? {};
  return Object.hasOwn(names, name) ? ` Use "${names[name]}" (renamed in 1.0).` : undefined;
}

const unknownName =
  /^(?:Cannot query field|Unknown argument|Field|Unknown type) "(\w+)"(?: (?:on type|on field|is not defined by type) "([\w.]+)")?\./;
const amountAlone = /^(Field "(\w+)" of type "Money!?" must have a selection of subfields\.).*/s;

/** An error of validation by graphql-js, with the new name in place of similar ones. */
export function withNewName(message: string): string {
  const [sentence, name = '', owner = 'type'] = unknownName.exec(message) ?? [];
  const suggestion = suggestNewName(owner, name);
  if (suggestion) return `${sentence}${suggestion}`;
  return message.replace(amountAlone, '$1 Use "$2 { amount }" (renamed in 1.0).');
}
