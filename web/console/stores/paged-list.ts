import { html, nothing, type TemplateResult } from 'lit-html';
import type { App } from '../app.ts';

interface Page<Node> {
  readonly nodes: readonly Node[];
  readonly count: number;
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

  async function read(after: string | null): Promise<void> {
    // A slow response must not replace that of a later search.
    const request = ++latest;
    try {
      const found = await readPage(after);
      if (request !== latest) return;
      page = found;
      nodes = after === null ? found.nodes : [...nodes, ...found.nodes];
      update();
    } catch (error) {
      if (request === latest) fail(error);
    }
  }

  return {
    load: () => read(null),
    nodes: () => nodes,
    /** Of all pages; undefined before the first is read. */
    count: () => page?.count,
    renderMore: (): TemplateResult | typeof nothing =>
      page?.pageInfo.hasNextPage
        ? html`<button type="button" @click=${() => read(page?.pageInfo.endCursor ?? null)}>Show more</button>`
        : nothing,
  };
}
