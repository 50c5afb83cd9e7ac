import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { measureMemory, startBrowser } from '../support/console.ts';
import { type BoardOrders, boardStore, createBoardOrders } from '../support/console-orders.ts';
import { readOptions } from '../support/options.ts';
import { createKey } from '../support/servers.ts';
import { traceTasks } from './console/task-times.ts';
import { runDrill } from './support/harness.ts';
import { startProxy } from './support/proxy.ts';

const options = readOptions(
  `Opens the order board in --tabs tabs of one browser, over HTTP/1.1; keeps --open orders open; and runs orders through all statuses for --seconds, while the network
is cut twice, once with closed connections and once without a sign. All boards must be live on one connection, and right; no task in a page may take more than
--longest ms of CPU; and the memory must not grow by more than --growth MB.`,
  { tabs: 7, open: 500, seconds: 600, perSecond: 10, longest: 100, growth: 3 },
);

interface Tab {
  readonly page: Page;
  readonly heapMb: () => Promise<number>;
}

/** How long tasks are traced at the end of each half. */
const tracedSeconds = 10;

/** Runs orders through all statuses, at most so many events in a second, and returns their number. */
async function runOrders(orders: BoardOrders, seconds: number): Promise<number> {
  const begun = performance.now();
  let events = 0;
  const pace = async () => {
    events++;
    const ahead = events * (1000 / options.perSecond) - (performance.now() - begun);
    if (ahead > 0) await sleep(ahead);
  };
  while (performance.now() - begun < seconds * 1000) {
    const id = await orders.place(`Evening ${events}`);
    await pace();
    for (const status of ['ACCEPTED', 'READY', 'FULFILLED']) {
      await orders.change(id, status);
      await pace();
    }
  }
  return events;
}

/** Waits until a condition holds, for at most a minute. */
async function holds(condition: () => Promise<boolean>): Promise<boolean> {
  for (const end = performance.now() + 60_000; performance.now() < end; await sleep(200)) {
    if (await condition()) return true;
  }
  return false;
}

await runDrill(async ({ folder, atEnd, startServer, violations }) => {
  const env = {
    ...{ CARTE_DATA: folder, PORT: '0', CARTE_LOG_LEVEL: 'error', CARTE_MAX_DELAY_MS: '60000' },
    // Pages that are loaded through the proxy are the service's own, so that it lets them open WebSockets.
    CARTE_TRUST_PROXY: '127.0.0.1/32',
  };
  const server = await startServer(env);
  const key = await createKey(env, '--write');
  const orders = createBoardOrders(server.url, key);
  const proxy = await startProxy(() => server.port);
  atEnd(() => proxy.close());
  const browser = await startBrowser();
  atEnd(() => browser.close());
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-GB' });
  await context.addInitScript(`sessionStorage.setItem('carte.key', ${JSON.stringify(key)})`);

  const openTab = async (): Promise<Tab> => {
    const page = await context.newPage();
    const devtools = await context.newCDPSession(page);
    await page.goto(`${proxy.url}/console?store=${boardStore}`);
    await page.getByText('Live', { exact: true }).waitFor();
    return { page, heapMb: async () => (await measureMemory({ devtools })).heapMb };
  };
  await orders.fill(options.open);
  const first = await openTab();
  const tabs = [first];
  while (tabs.length < options.tabs) tabs.push(await openTab());
  const ofAll = <T>(take: (tab: Tab) => Promise<T>) => Promise.all(tabs.map(take));

  const checkBoards = async (when: string) => {
    const count = await orders.countOpen();
    const isRight = async ({ page }: Tab) =>
      (await page.locator('.column:not(.done) .card').count()) === count &&
      (await page.getByText('Live', { exact: true }).count()) === 1;
    const right = await ofAll(tab => holds(() => isRight(tab)));
    if (right.includes(false))
      violations.push(`${when}: ${right.filter(is => !is).length} boards are not live or not right`);
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    const streams = [...metrics.matchAll(/^carte_streams_open\{transport="(?:sse|websocket)"\} (\d+)/gm)];
    const open = streams.reduce((sum, [, streamCount]) => sum + Number(streamCount), 0);
    // That of the orders, and that of the stores.
    if (open !== 2) violations.push(`${when}: ${open} streams are open`);
    console.log(`${when}: ${tabs.length} boards with ${count} open orders, ${open} streams`);
  };
  const run = async (when: string, seconds: number) => {
    const events = await runOrders(orders, Math.max(0, seconds - tracedSeconds));
    const times = await traceTasks(browser, first.page, () => runOrders(orders, tracedSeconds));
    const longest = Math.max(0, ...times);
    if (longest > options.longest) violations.push(`${when}: a task of ${longest.toFixed(0)} ms`);
    console.log(`${when}: ${events} events; of ${times.length} tasks the longest took ${longest.toFixed(0)} ms of CPU`);
  };
  const cut = async (when: string, begin: () => void) => {
    begin();
    const running = runOrders(orders, 10);
    const noticed = await ofAll(({ page }) => holds(async () => (await page.getByText('No connection').count()) === 1));
    if (noticed.includes(false)) violations.push(`${when}: not all boards say so`);
    await running;
    proxy.restore();
    await checkBoards(when);
  };

  await checkBoards('opened');
  // The first changes make room for what stays.
  await run('warmed up', tracedSeconds);
  const before = await ofAll(tab => tab.heapMb());
  await run('first half', options.seconds / 2);
  await cut('cut', proxy.cut);
  await cut('cut without a sign', proxy.freeze);
  await run('second half', options.seconds / 2);
  await checkBoards('at the end');
  const after = await ofAll(tab => tab.heapMb());
  console.log(`heap in MB: ${before.map((mb, index) => `${mb.toFixed(1)} → ${after[index]?.toFixed(1)}`).join(', ')}`);
  const growth = Math.max(...after.map((mb, index) => mb - (before[index] ?? 0)));
  if (growth > options.growth) violations.push(`the memory of a page has grown by ${growth.toFixed(1)} MB`);
});
