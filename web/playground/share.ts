import { createElement, ToolbarButton, useGraphiQL, useState } from './graphiql.ts';
import type { Operation } from './tabs.ts';

/** Creates the link to an operation. It is in the fragment, which browsers do not send, and has no headers, so never the key. */
function linkTo({ query, variables }: Operation): string {
  const url = new URL(location.href);
  url.hash = new URLSearchParams({ query, variables }).toString();
  return url.href;
}

/** Takes the operation of a shared link out of the address, so that a reload does not open it again. */
export function takeSharedOperation(): Operation | undefined {
  const shared = readSharedOperation();
  if (shared) history.replaceState(null, '', location.pathname + location.search);
  return shared;
}

/** A link that is opened in a tab with the playground changes the fragment alone, which loads nothing. */
export function followSharedLinks(): void {
  addEventListener('hashchange', () => {
    if (readSharedOperation()) location.reload();
  });
}

function readSharedOperation(): Operation | undefined {
  const parameters = new URLSearchParams(location.hash.slice(1));
  const query = parameters.get('query');
  return query ? { query, variables: parameters.get('variables') ?? '' } : undefined;
}

export function ShareButton() {
  const [copied, setCopied] = useState(false);
  const { query, variables } = useGraphiQL(({ queryEditor, variableEditor }) => ({
    query: queryEditor,
    variables: variableEditor,
  }));
  const share = async () => {
    const link = linkTo({ query: query?.getValue() ?? '', variables: variables?.getValue() ?? '' });
    try {
      await navigator.clipboard.writeText(link);
      setCopied(true);
      setTimeout(() => setCopied(false), 2000);
    } catch {
      // Browsers deny the clipboard to pages from another machine without TLS.
      prompt('Link to this operation, without the key:', link);
    }
  };
  const label = copied ? 'Link copied, without the key' : 'Copy a link to this operation';
  const path = copied ? 'M2 8l4 4 8-9' : 'M6.5 9.5l3-3M7 4l2-2a3.5 3.5 0 0 1 5 5l-2 2M9 12l-2 2a3.5 3.5 0 0 1-5-5l2-2';
  const icon = createElement(
    'svg',
    { viewBox: '0 0 16 16', className: 'graphiql-toolbar-icon', 'aria-hidden': true },
    createElement('path', { d: path, fill: 'none', stroke: 'currentColor', strokeWidth: 1.5 }),
  );
  return createElement(ToolbarButton, { label, onClick: () => void share() }, icon);
}
