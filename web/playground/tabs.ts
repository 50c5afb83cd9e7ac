import { examples } from './examples.ts';
import { useEffect, useGraphiQL } from './graphiql.ts';
import { storage } from './storage.ts';

export interface Operation {
  readonly query: string;
  readonly variables: string;
}

interface StoredTabs {
  readonly tabs: readonly (Partial<Operation> & { readonly query: string | null })[];
  readonly activeTabIndex: number;
}

const item = 'graphiql:tabState';

/**
 * Finds the tabs to start with. GraphiQL restores stored tabs by itself, but takes the content of the active one from elsewhere
 * and opens a blank tab where that differs: so the content is passed to it. A shared operation becomes the active tab.
 */
export function initialTabs(shared: Operation | undefined, now: Date) {
  const stored = removeBlankTabs();
  const defaultTabs = examples.map(({ query, variables }) => ({
    query,
    variables: JSON.stringify(variables(now), null, 2),
  }));
  if (shared) defaultTabs.unshift(shared);
  const active = shared ?? stored?.tabs[stored.activeTabIndex] ?? defaultTabs[0];
  return { defaultTabs, initialQuery: active?.query ?? '', initialVariables: active?.variables ?? '' };
}

/** Scrolls to the active tab, which may be beyond the width of a small screen. */
export function ActiveTabInView() {
  const tab = useGraphiQL(({ tabs, activeTabIndex }) => tabs[activeTabIndex]?.id);
  useEffect(() => {
    if (tab) document.querySelector('.graphiql-tab-active')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [tab]);
  return null;
}

/**
 * Makes a list of buttons of what GraphiQL marks as tabs: in a `tab`, screen readers do not find the button that closes it, and
 * `tab` promises arrow keys that GraphiQL does not handle.
 */
export function TabsAsList() {
  const { tabs, activeTabIndex } = useGraphiQL(state => ({ tabs: state.tabs, activeTabIndex: state.activeTabIndex }));
  useEffect(() => {
    document.querySelector('.graphiql-tabs')?.setAttribute('role', 'list');
    document.querySelector('#graphiql-session')?.setAttribute('role', 'region');
    for (const [index, item] of document.querySelectorAll('.graphiql-tab').entries()) {
      item.setAttribute('role', 'listitem');
      item.removeAttribute('aria-selected');
      item.querySelector('.graphiql-tab-button')?.setAttribute('aria-current', String(index === activeTabIndex));
      item.querySelector('.graphiql-tab-close')?.setAttribute('aria-label', `Close ${tabs[index]?.title}`);
    }
  }, [tabs, activeTabIndex]);
  return null;
}

/** Tabs without a query are not worth restoring, and earlier versions left one with every reload. */
function removeBlankTabs(): StoredTabs | undefined {
  const stored = readTabs();
  if (!stored) return undefined;
  const active = stored.tabs[stored.activeTabIndex];
  const tabs = stored.tabs.filter(({ query }) => query?.trim());
  if (tabs.length === 0) {
    storage.removeItem(item);
    return undefined;
  }
  const remaining = { ...stored, tabs, activeTabIndex: active ? Math.max(0, tabs.indexOf(active)) : 0 };
  storage.setItem(item, JSON.stringify(remaining));
  return remaining;
}

function readTabs(): StoredTabs | undefined {
  try {
    const stored = JSON.parse(storage.getItem(item) ?? '');
    return Array.isArray(stored.tabs) ? stored : undefined;
  } catch {
    return undefined;
  }
}
