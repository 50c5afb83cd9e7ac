import { type Browser, type BrowserContext, type CDPSession, chromium, type Page } from 'playwright-core';
import { chromiumPath } from './chromium.ts';

export async function startBrowser(): Promise<Browser> {
  if (!chromiumPath) throw new Error('No Chromium was found; CHROMIUM_PATH names one');
  return chromium.launch({
    executablePath: chromiumPath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  });
}

/** A console of a store, in a tab of its own. */
export interface OpenConsole {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly devtools: CDPSession;
}

export async function openConsole(browser: Browser, key: string): Promise<OpenConsole> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-GB' });
  const page = await context.newPage();
  await page.addInitScript(`sessionStorage.setItem('carte.key', ${JSON.stringify(key)})`);
  return { page, context, devtools: await context.newCDPSession(page) };
}

/** The memory of the page after a garbage collection. */
export async function measureMemory({ devtools }: Pick<OpenConsole, 'devtools'>) {
  await devtools.send('HeapProfiler.collectGarbage');
  await devtools.send('HeapProfiler.collectGarbage');
  const { usedSize } = await devtools.send('Runtime.getHeapUsage');
  const { nodes } = await devtools.send('Memory.getDOMCounters');
  return { heapMb: usedSize / 1e6, nodes };
}
