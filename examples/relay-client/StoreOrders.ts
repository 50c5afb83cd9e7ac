/**
 * The documents, for the compiler alone. In an application they stand in the components, and the Babel plugin of Relay replaces them by
 * the artifacts; this client imports the artifacts itself.
 */
import { graphql } from 'relay-runtime';

graphql`
  query StoreOrdersQuery($store: ID!, $first: Int, $last: Int) {
    ...StoreOrders_query @arguments(store: $store, first: $first, last: $last)
  }
`;

// On Query rather than on Store: it is refetched by `store(id:)`, since the graph has no `node(id:)`.
graphql`
  fragment StoreOrders_query on Query
  @argumentDefinitions(
    store: { type: "ID!" }
    first: { type: "Int" }
    after: { type: "String" }
    last: { type: "Int" }
    before: { type: "String" }
  )
  @refetchable(queryName: "StoreOrdersPaginationQuery") {
    store(id: $store) {
      id
      ordersRevision
      orders(first: $first, after: $after, last: $last, before: $before) @connection(key: "StoreOrders_orders") {
        count
        pageInfo {
          hasPreviousPage
          hasNextPage
          startCursor
          endCursor
        }
        edges {
          node {
            id
            createdAt
            status
            price
          }
        }
      }
    }
  }
`;

graphql`
  query StoreOrdersMenuQuery($store: ID!) {
    store(id: $store) {
      id
      merchant {
        id
        brandName
      }
      items {
        id
        externalId
      }
      modifierItems {
        id
        externalId
      }
    }
  }
`;
