/**
 * The documents, for the compiler alone. In an application they stand in the components, and the Babel plugin of Relay replaces them by
 * the artifacts; this client imports the artifacts itself.
 */
import { graphql } from 'relay-runtime';

graphql`
  query StoreOrdersQuery($store: ID!, $first: Int, $last: Int) {
    store(id: $store) {
      ...StoreOrders_store @arguments(first: $first, last: $last)
    }
  }
`;

// Refetched by `node(id:)`, with the `nodeId` of the store.
graphql`
  fragment StoreOrders_store on Store
  @argumentDefinitions(
    first: { type: "Int" }
    after: { type: "String" }
    last: { type: "Int" }
    before: { type: "String" }
  )
  @refetchable(queryName: "StoreOrdersPaginationQuery") {
    ordersRevision
    orders(first: $first, after: $after, last: $last, before: $before) @connection(key: "StoreOrders_orders") {
      totalCount
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
          price {
            amount
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
