export interface Example {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** Stand-ins that the page fills in when it is opened. */
export const moments = {
  now: 'CARTE_NOW',
  startOfToday: 'CARTE_TODAY',
};

const menuOfAStore: Example = {
  query: `# Fill in your key under "Headers" below,
# then press the button to the right.
# The other tabs will use the same key.
query MenuOfAStore($store: ID!, $languages: [String!]!) {
  store(id: $store) {
    name
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
          price
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
              priceChange
            }
          }
        }
      }
    }
  }
}
`,
  variables: { store: 'lisbon-baixa', languages: ['pt', 'en'] },
};

const onSaleNow: Example = {
  query: `# The menus on sale at a moment,
# by the clock of each store.
query OnSaleNow($at: DateTime!) {
  stores {
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
`,
  variables: { at: moments.now },
};

const ordersOfToday: Example = {
  query: `# The newest first. For the next page,
# set "after" to the endCursor of this one.
query OrdersOfToday($store: ID!, $filter: OrderFilter, $after: String) {
  store(id: $store) {
    ordersRevision
    orders(filter: $filter, pageSize: 10, after: $after) {
      count
      hasNextPage
      endCursor
      nodes {
        id
        createdAt
        status
        price
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
  variables: { store: 'lisbon-baixa', filter: { startTime: moments.startOfToday }, after: null },
};

const diagnostics: Example = {
  query: `# What a menu configuration allows
# but its merchant would want to know.
query Diagnostics($merchant: ID!) {
  merchant(id: $merchant) {
    brandName
    stores {
      id
      menuDiagnostics {
        severity
        code
        place
        message
      }
    }
  }
}
`,
  variables: { merchant: 'dona-gaivota' },
};

const replaceMenus: Example = {
  query: `# Replaces the whole menu of a store.
# As it stands it is refused: the store is past
# revision 0. To mean it, set expectedRevision
# to the store's menuRevision, or to null.
mutation ReplaceMenus($store: ID!, $input: MenuConfigurationInput!, $expectedRevision: SafeInt) {
  replaceMenuConfiguration(storeId: $store, input: $input, expectedRevision: $expectedRevision) {
    revision
    diagnostics {
      severity
      place
      message
    }
  }
}
`,
  variables: {
    store: 'mexico-roma',
    expectedRevision: 0,
    input: {
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
  },
};

/** What the playground offers to start from, a tab each. */
export const examples: readonly Example[] = [menuOfAStore, onSaleNow, ordersOfToday, diagnostics, replaceMenus];
