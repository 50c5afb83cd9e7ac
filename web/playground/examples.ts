export interface Example {
  readonly query: string;
  readonly variables: (now: Date) => Readonly<Record<string, unknown>>;
}

const menuOfAStore: Example = {
  query: `# Enter your API key above, then press the
# button to the right, or Ctrl and Enter.
# The variables are below.
query MenuOfAStore($store: ID!, $languages: [String!]!) {
  store(id: $store) {
    name {
      text(languages: $languages)
    }
    menuRevision
    menus {
      name {
        text(languages: $languages)
      }
      categories {
        name {
          text(languages: $languages)
        }
        items {
          name {
            text(languages: $languages)
          }
          price {
            decimal
            currency
          }
          inStock
          dietaryLabels
          modifierGroups {
            name {
              text(languages: $languages)
            }
            groupMin
            groupMax
            modifierItems {
              name {
                text(languages: $languages)
              }
              priceChange {
                decimal
                currency
              }
            }
          }
        }
      }
    }
  }
}
`,
  variables: () => ({ store: 'lisbon-baixa', languages: ['pt', 'en'] }),
};

const availableNow: Example = {
  query: `# The menus available at a moment,
# in the timezone of each store.
query AvailableNow($at: DateTime!) {
  stores {
    nodes {
      id
      timezone
      menus(availableAt: $at) {
        name {
          text(languages: ["en"])
        }
        availability {
          dayOfWeek
          timePeriods {
            startTime
            endTime
          }
        }
      }
    }
  }
}
`,
  variables: now => ({ at: now.toISOString() }),
};

const ordersOfToday: Example = {
  query: `# Newest first. For the next page,
# set "after" to the endCursor of this one.
query OrdersOfToday($store: ID!, $filter: OrderFilter, $after: String) {
  store(id: $store) {
    ordersRevision
    orders(filter: $filter, first: 10, after: $after) {
      totalCount
      pageInfo {
        hasNextPage
        endCursor
      }
      nodes {
        id
        createdAt
        status
        total {
          decimal
          currency
        }
        readyBy
        customer {
          name
          phone
        }
        items
      }
    }
  }
}
`,
  variables: now => ({ store: 'lisbon-baixa', filter: { createdFrom: startOfDay(now).toISOString() }, after: null }),
};

const placeAnOrder: Example = {
  query: `# Two short coffees, one with an extra shot.
# A second run returns the same order; another
# idempotencyKey places another one. The items
# must be available at the time of readyBy.
mutation PlaceAnOrder($input: PlaceOrderInput!) {
  placeOrder(input: $input) {
    order {
      id
      status
      total {
        decimal
        currency
      }
      readyBy
      lines {
        name {
          text(languages: ["en"])
        }
        quantity
        modifiers {
          name {
            text(languages: ["en"])
          }
        }
      }
    }
  }
}
`,
  variables: now => ({
    input: {
      storeId: 'lisbon-baixa',
      idempotencyKey: `playground ${now.toISOString()}`,
      customer: { name: 'Ana Lima', phone: '+351 912 345 678' },
      lines: [
        { itemExternalId: 'bica', quantity: 1 },
        {
          itemExternalId: 'bica',
          quantity: 1,
          modifiers: [{ modifierGroupExternalId: 'coffee-extras', modifierItemExternalId: 'extra-shot', quantity: 1 }],
        },
      ],
      readyBy: nextMorning(now).toISOString(),
    },
  }),
};

const watchOrders: Example = {
  query: `# Stays open, and lists each order that is placed
# or changed, the last first: run it, and place an
# order in a second window.
subscription WatchOrders($store: ID!, $after: String) {
  orderEvents(storeId: $store, after: $after) {
    cursor
    at
    kind
    statusBefore
    status
    order {
      id
      total {
        decimal
        currency
      }
      customer {
        name
      }
    }
  }
}
`,
  variables: () => ({ store: 'lisbon-baixa', after: null }),
};

const diagnostics: Example = {
  query: `# Probable mistakes in the menu
# configurations of a merchant.
query Diagnostics($merchant: ID!) {
  merchant(id: $merchant) {
    brandName
    stores {
      nodes {
        id
        menuDiagnostics {
          severity
          code
          path
          message
        }
      }
    }
  }
}
`,
  variables: () => ({ merchant: 'dona-gaivota' }),
};

const replaceMenus: Example = {
  query: `# Replaces the whole menu of a store.
# As written it fails with CONFLICT: the store
# is past revision 0. To apply it, set
# expectedMenuRevision to the store's menuRevision,
# or to null.
mutation ReplaceMenus($input: ReplaceMenuConfigurationInput!) {
  replaceMenuConfiguration(input: $input) {
    store {
      menuRevision
      menuDiagnostics {
        severity
        path
        message
      }
    }
  }
}
`,
  variables: () => ({
    input: {
      storeId: 'mexico-roma',
      expectedMenuRevision: 0,
      menus: [
        {
          externalId: 'all-day',
          name: { translations: { en: 'All day' } },
          availability: [{ dayOfWeek: 'MON', timePeriods: [{ startTime: '09:00', endTime: '22:00' }] }],
          categoryExternalIds: ['tacos'],
        },
      ],
      categories: [{ externalId: 'tacos', name: { translations: { en: 'Tacos' } }, itemExternalIds: ['taco'] }],
      items: [
        {
          externalId: 'taco',
          name: { translations: { en: 'Taco', es: 'Taco' } },
          price: 2800,
          tax: 386,
          sellSeparately: true,
        },
      ],
    },
  }),
};

/** Initial tabs of the playground. */
export const examples: readonly Example[] = [
  menuOfAStore,
  availableNow,
  ordersOfToday,
  placeAnOrder,
  watchOrders,
  diagnostics,
  replaceMenus,
];

/** A time at which the store in Lisbon serves coffee on all days, at least a quarter of an hour ahead. */
function nextMorning(now: Date): Date {
  const time = new Date(now);
  time.setUTCHours(11, 0, 0, 0);
  if (time.getTime() - now.getTime() < 15 * 60_000) time.setUTCDate(time.getUTCDate() + 1);
  return time;
}

function startOfDay(now: Date): Date {
  const start = new Date(now);
  start.setHours(0, 0, 0, 0);
  return start;
}
