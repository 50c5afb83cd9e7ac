import type { Browser, Page } from 'playwright-core';

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** CPU time in microseconds. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/** Returns the CPU times of the tasks of all pages in ms, while something is done: other programs on the machine do not count. */
export async function traceTasks(browser: Browser, page: Page, work: () => Promise<unknown>): Promise<number[]> {
  await browser.startTracing(page, { categories: ['toplevel'] });
  await work();
  const { traceEvents }: { traceEvents: readonly TraceEvent[] } = JSON.parse(String(await browser.stopTracing()));
  const threads = traceEvents.filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain');
  const pages = new Set(threads.map(({ pid, tid }) => `${pid} ${tid}`));
  return traceEvents.flatMap(({ name, pid, tid, tdur }) =>
    name === 'ThreadControllerImpl::RunTask' && pages.has(`${pid} ${tid}`) ? [(tdur ?? 0) / 1000] : [],
  );
}
