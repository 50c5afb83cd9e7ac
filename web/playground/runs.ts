import type { Run } from './fetcher.ts';
import { createElement, useEffect, useGraphiQL, useSyncExternalStore } from './graphiql.ts';

/** The last run of each tab, unless it is in progress. */
const runs = new Map<string, Run | undefined>();
const listeners = new Set<() => void>();
let activeTab = '';

/** Records a run for the active tab: opening another one would have aborted it. */
export function recordRun(run: Run | undefined): void {
  runs.set(activeTab, run);
  for (const listener of listeners) listener();
}

/** Time, size and cost of the response that is shown. */
export function RunSummary() {
  const tab = useGraphiQL(({ tabs, activeTabIndex }) => tabs[activeTabIndex]?.id ?? '');
  useEffect(() => {
    activeTab = tab;
  }, [tab]);
  const run = useSyncExternalStore(
    listener => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => runs.get(tab),
  );
  const title = 'Time until the whole response was here, its size without compression, and the cost that is limited';
  return createElement('p', { className: 'run-summary', role: 'status', title }, run && summarize(run));
}

function summarize({ status, milliseconds, bytes, cost }: Run): string {
  const parts = [`${Math.max(1, Math.round(milliseconds)).toLocaleString('en')} ms`, formatBytes(bytes)];
  if (status !== 200) parts.unshift(`HTTP ${status}`);
  if (cost !== undefined) parts.push(`cost ${cost.toLocaleString('en')}`);
  return parts.join(' · ');
}

function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
