import { html, nothing, type TemplateResult } from 'lit-html';
import type { App } from '../app.ts';

interface Page<Node> {
  readonly nodes: readonly Node[];
  readonly totalCount: number;
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

/** A list that is read page by page, as a connection of the graph gives it. */
export function createPagedList<Node>(
  { update, fail }: Pick<App, 'update' | 'fail'>,
  readPage: (after: string | null) => Promise<Page<Node>>,
) {
  let nodes: readonly Node[] = [];
  let page: Page<Node> | undefined;
  let latest = 0;
  /** Where the read began that failed. */
  let failedAt: string | null | undefined;

  async function read(after: string | null): Promise<void> {
    // A slow response must not replace that of a later search.
    const request = ++latest;
    failedAt = undefined;
    update();
    try {
      const found = await readPage(after);
      if (request !== latest) return;
      page = found;
      nodes = after === null ? found.nodes : [...nodes, ...found.nodes];
      update();
    } catch (error) {
      if (request !== latest) return;
      failedAt = after;
      fail(error);
    }
  }

  function renderMore(): TemplateResult | typeof nothing {
    if (failedAt !== undefined) {
      return html`<button type="button" @click=${() => read(failedAt ?? null)}>Try again</button>`;
    }
    if (!page?.pageInfo.hasNextPage) return nothing;
    return html`<button type="button" @click=${loadMore}>Show more</button>`;
  }

  const loadMore = () => read(page?.pageInfo.endCursor ?? null);

  return {
    load: () => read(null),
    loadMore,
    /** Whether `loadMore` reads more; not after it has failed. */
    hasMore: () => failedAt === undefined && page?.pageInfo.hasNextPage === true,
    nodes: () => nodes,
    /** Applies what has changed since the pages were read. */
    edit(change: (nodes: readonly Node[]) => readonly Node[]): void {
      const changed = change(nodes);
      if (page) page = { ...page, totalCount: page.totalCount + changed.length - nodes.length };
      nodes = changed;
    },
    /** Of all pages; undefined before the first is read. */
    count: () => page?.totalCount,
    /** Whether the first page could not be read. */
    hasFailed: () => failedAt === null,
    /** The button that reads the next page, or the one that failed. */
    renderMore,
  };
}
