import { measureMemory, type OpenConsole, openConsole, startBrowser } from '../support/console.ts';
import { type BoardOrders, boardStore, createBoardOrders } from '../support/console-orders.ts';
import { readOptions } from '../support/options.ts';
import { runProgram } from '../support/program.ts';
import { createKey } from '../support/servers.ts';
import { measureLoad, percentiles, recordFrames } from './support/console.ts';

const options = readOptions(
  `Measures the console of a busy evening, in a real browser: loads the board; keeps --open orders open; runs the orders of an --evening through all statuses
as fast as it can; cuts the network for --cut seconds; and compares the board with the server afterwards.`,
  { open: 500, evening: 1000, cut: 10 },
);
const openCards = ({ page }: OpenConsole) => page.locator('.column:not(.done) .card').count();

async function waitForOpen(board: OpenConsole, count: number): Promise<void> {
  for (let waited = 0; waited < 200; waited++) {
    if ((await openCards(board)) === count) return;
    await new Promise(resolve => setTimeout(resolve, 100));
  }
  throw new Error(`The board has ${await openCards(board)} open orders, and the server ${count}`);
}

/** From the response to `placeOrder` until the order is on the board. */
async function measureArrivals({ page }: OpenConsole, orders: BoardOrders): Promise<void> {
  await page.getByText('Live', { exact: true }).waitFor();
  const times: number[] = [];
  for (let order = 0; order < 30; order++) {
    const name = `Arrival ${order}!`;
    const shown = page.getByText(name, { exact: true }).waitFor();
    const placing = performance.now();
    await orders.place(name);
    await shown;
    times.push(performance.now() - placing);
  }
  console.log(`from placing an order until it is on the board: ${percentiles(times)}`);
}

/** Runs orders through all statuses while the board is watched, and takes one step on it by hand. */
async function runEvening(board: OpenConsole, orders: BoardOrders, count: number): Promise<void> {
  const before = await measureMemory(board);
  const stopFrames = await recordFrames(board);
  const begun = performance.now();
  const clicks: number[] = [];
  for (let order = 0; order < count; order++) {
    const id = await orders.place(`Evening ${order}`);
    for (const status of ['ACCEPTED', 'READY', 'FULFILLED']) await orders.change(id, status);
    if (order % 100 === 0) clicks.push(await measureClick(board));
  }
  const seconds = (performance.now() - begun) / 1000;
  const frames = await stopFrames();
  const after = await measureMemory(board);
  console.log(
    `an evening of ${count} orders (${count * 4} events) in ${seconds.toFixed(0)} s with ${await openCards(board)} open orders:`,
  );
  console.log(
    `  frames: ${percentiles(frames)}, ${frames.filter(time => time > 100).length} of ${frames.length} over 100 ms`,
  );
  console.log(`  from a click until the board shows it: ${percentiles(clicks)}`);
  console.log(
    `  heap ${before.heapMb.toFixed(1)} → ${after.heapMb.toFixed(1)} MB, DOM nodes ${before.nodes} → ${after.nodes}`,
  );
}

async function measureClick({ page }: OpenConsole): Promise<number> {
  return page.evaluate<number>(`new Promise(resolve => {
    const button = document.querySelector('.column.new [data-action=next]');
    const card = button.closest('.card');
    const begun = performance.now();
    button.click();
    const look = () => card.isConnected && card.querySelector('[data-action=next]') === button ? requestAnimationFrame(look) : resolve(performance.now() - begun);
    look();
  })`);
}

/** Cuts the network, changes orders on both sides, and waits until the board is that of the server. */
async function cutNetwork(board: OpenConsole, orders: BoardOrders, seconds: number): Promise<void> {
  const { page, context } = board;
  const theirs = await orders.place('Cut: theirs');
  const mine = page.locator('.column.new .card').filter({ hasNotText: 'Cut' }).first();
  const mineId = await mine.getAttribute('data-order');
  await page.getByText('Cut: theirs', { exact: true }).waitFor();
  await context.setOffline(true);
  await mine.locator('[data-action=next]').click();
  await orders.change(theirs, 'REJECTED');
  for (let order = 0; order < 5; order++) await orders.place(`Cut ${order}`);
  await new Promise(resolve => setTimeout(resolve, seconds * 1000));
  await context.setOffline(false);
  const back = performance.now();
  await waitForOpen(board, await orders.countOpen());
  await page.locator(`.column.accepted [data-order="${mineId}"] [data-action=next]`).waitFor();
  console.log(
    `after ${seconds} s without a network the board was right within ${((performance.now() - back) / 1000).toFixed(1)} s`,
  );
}

await runProgram(async program => {
  const env = { CARTE_DATA: program.folder, PORT: '0', CARTE_LOG_LEVEL: 'error' };
  const server = await program.startServer(env);
  const key = await createKey(env, '--write');
  const orders = createBoardOrders(server.url, key);
  const browser = await startBrowser();
  program.atEnd(() => browser.close());
  const board = await openConsole(browser, key);
  const url = `${server.url}/console?store=${boardStore}`;
  const other = await openConsole(browser, key);
  // The server strips the types of a module when it is first requested.
  for (const [visit, tab] of [
    ['first visit after a start', other],
    ['first visit of a browser', board],
    ['second visit', board],
  ] as const) {
    const { usableMs, requests, bytes } = await measureLoad(tab, url, '.card');
    const size = `${requests} requests, ${(bytes / 1000).toFixed(0)} kB`;
    console.log(`${visit}: usable after ${usableMs.toFixed(0)} ms, ${size}`);
  }
  await other.context.close();
  await measureArrivals(board, orders);
  await orders.fill(options.open);
  const { usableMs } = await measureLoad(board, url, `.card`);
  await waitForOpen(board, await orders.countOpen());
  console.log(`${await orders.countOpen()} open orders: usable after ${usableMs.toFixed(0)} ms`);
  await runEvening(board, orders, options.evening);
  await cutNetwork(board, orders, options.cut);
});
