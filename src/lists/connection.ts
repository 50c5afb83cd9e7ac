import type { Page } from './paging.ts';
import { type Cursor, type CursorList, encodeCursor } from './paging.ts';

/** A connection of the graph: its page and its total are read when fields of them are resolved, and at most once. */
export interface RelayConnection<Node> {
  readonly page: () => Promise<Page<Node>>;
  readonly count: () => Promise<number>;
}

export function createRelayConnection<Node>(
  readPage: () => Promise<Page<Node>>,
  count: () => Promise<number>,
): RelayConnection<Node> {
  let page: Promise<Page<Node>> | undefined;
  return {
    page() {
      page ??= readPage();
      return page;
    },
    count,
  };
}

/** The resolvers of a connection type. */
export function connectionResolvers<Node extends Cursor>(list: CursorList) {
  return {
    nodes: async ({ page }: RelayConnection<Node>) => (await page()).nodes,
    edges: async ({ page }: RelayConnection<Node>) => edgesOf(list, (await page()).nodes),
    pageInfo: async ({ page }: RelayConnection<Node>) => pageInfoOf(list, await page()),
    count: ({ count }: RelayConnection<Node>) => count(),
  };
}

export function edgesOf<Node extends Cursor>(list: CursorList, nodes: readonly Node[]) {
  return nodes.map(node => ({ cursor: encodeCursor(list, node), node }));
}

export function pageInfoOf(list: CursorList, { nodes, hasPreviousPage, hasNextPage }: Page<Cursor>) {
  const [first] = nodes;
  const last = nodes.at(-1);
  return {
    hasPreviousPage,
    hasNextPage,
    startCursor: first ? encodeCursor(list, first) : null,
    endCursor: last ? encodeCursor(list, last) : null,
  };
}
