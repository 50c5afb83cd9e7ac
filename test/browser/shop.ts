import type { BrowserContextOptions, Locator, Page, Request } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { issueKey } from '../../src/auth/keys.ts';
import { describeInBrowser, seriousViolations } from '../support/browser.ts';
import { operatorFork } from '../support/data.ts';
import { createOrderCalls } from '../support/evening.ts';
import { openExample } from './example.ts';
import { site } from './site.ts';

const { build, read, serve } = openExample('shop');
const { postMenu, change } = createOrderCalls(site);

interface ShopOptions extends BrowserContextOptions {
  readonly soldOut?: readonly string[];
  /** Other settings in place of the default ones. */
  readonly texts?: Readonly<Record<string, string>>;
}

/** A store and its shop, which has an origin of its own. */
async function openShop({ soldOut = [], texts = {}, ...options }: ShopOptions = {}) {
  const { id } = await site.data.store({ timezone: 'Europe/Lisbon', currency: 'EUR' });
  await postMenu(id, soldOut);
  let key = '';
  const origin = await serve(path => read(path, key, { 'lisbon-baixa': id, ...texts }));
  const request = {
    name: 'shop',
    all: false,
    merchantIds: [],
    storeIds: [id],
    permissions: ['PLACE_GUEST_ORDERS' as const],
  };
  ({ key } = await issueKey(operatorFork(site.orm), { ...request, publishable: true, origins: [origin] }));
  return { id, page: await site.open(`${origin}/index.html?table=12`, options) };
}

const button = (page: Page | Locator, name: string | RegExp) => page.getByRole('button', { name });

/** Adds a large burger with two portions of cheese, both of which are free. */
async function addBurger(page: Page): Promise<void> {
  await button(page, 'Add: burger').click();
  await page.getByLabel('large').check();
  await page.getByLabel('cheese').fill('2');
  await page.getByLabel('Note').fill('well done');
  await button(page, 'Add to the order').click();
}

const total = (page: Page, text: string) => page.locator('#sums div', { hasText: `Total${text}` }).waitFor();

/** Sends an order of a burger. */
async function order(page: Page, name: string, tip = ''): Promise<void> {
  await addBurger(page);
  await page.getByLabel('Tip').fill(tip);
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Phone').fill('+351 912 345 678');
  await button(page, /^Order$/).click();
}

const isPlacing = (request: Request) => request.postData()?.includes('placeOrder(') === true;
const status = (page: Page, text: string | RegExp) => page.locator('#status').getByText(text).waitFor();
const openBoard = (storeId: string) => site.open(`/console?store=${storeId}`, { key: site.key });

describeInBrowser('A shop of another origin', () => {
  beforeAll(build);

  test('shows the menu with its rules and what is sold out, and a cart with the prices of the service', async () => {
    const { id, page } = await openShop({ soldOut: ['cola', 'bacon'] });
    expect(await button(page, 'Sold out: cola').isDisabled()).toBe(true);
    await button(page, 'Add: burger').press('Enter');
    expect(await page.getByLabel('bacon').isDisabled()).toBe(true);
    expect(await seriousViolations(page)).toEqual([]);
    // Without a size, the dialog stays.
    await page.getByLabel('Note').press('Enter');
    await page.locator('dialog input:invalid').waitFor();
    await page.keyboard.press('Escape');
    await addBurger(page);
    await total(page, '€12.50');
    expect(await page.locator('#lines').innerText()).toMatch(/burger\s+€12\.50\s+large, 2 × cheese, “well done”/);
    await button(page, 'One more: burger').press('Enter');
    await total(page, '€25.00');
    await page.locator(':focus', { hasText: '+' }).waitFor();
    await page.getByLabel('Tip').fill('1.50');
    await total(page, '€26.50');
    expect(await page.getByLabel('Table', { exact: true }).inputValue()).toBe('12');
    expect(await seriousViolations(page)).toEqual([]);

    // More than guests may order at once.
    await page.evaluate(
      `localStorage['shop.lines'] = localStorage['shop.lines'].replace('"quantity":2,', '"quantity":999,')`,
    );
    await page.reload();
    await page.locator('#problems').getByText('999 is too large').waitFor();
    await postMenu(id, ['burger']);
    await page.reload();
    await page.locator('#lines').getByText('Sold out, sorry.').waitFor();
    expect(await button(page, /^Order$/).isDisabled()).toBe(true);
  });

  test('fits a phone, and offers the services of the restaurant alone', async () => {
    const texts = { 'PICKUP,DINE_IN,DELIVERY': 'PICKUP,DINE_IN' };
    const { page } = await openShop({ viewport: { width: 390, height: 844 }, texts });
    await addBurger(page);
    const link = page.getByRole('link', { name: 'Your order · €12.50' });
    await link.press('Enter');
    expect(await page.getByRole('radiogroup').innerText()).toMatch(/^Pick up\s+At a table$/);
    await button(page, 'One less: burger').click();
    await page.getByText('Nothing yet').waitFor();
    await addBurger(page);
    await page.getByLabel('Comments').fill('a'.repeat(300));
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  });

  test('reads the menu by GET, so that caches can have it, and says why there is none', async () => {
    const { page } = await openShop();
    const reading = page.waitForResponse(response => response.url().includes('query=query+Menu'));
    await page.reload();
    const response = await reading;
    const caching = await response.headerValue('cache-control');
    expect([response.request().method(), caching]).toEqual(['GET', expect.stringMatching(/^public, .*s-maxage=/)]);
    const loaded = page.getByRole('status');
    await page.route('**/graphql?*', route => route.abort());
    await page.evaluate('dispatchEvent(new Event("online"))');
    await loaded.getByText('We cannot be reached just now.').waitFor();
    await page.unroute('**/graphql?*');
    await page.route('**/graphql?*', route => route.fulfill({ status: 502, body: '<h1>Bad gateway</h1>' }));
    await page.evaluate('dispatchEvent(new Event("online"))');
    await loaded.getByText('The service responded with 502.').waitFor();
    await page.unroute('**/graphql?*');
    await page.context().setOffline(true);
    await page.evaluate('dispatchEvent(new Event("online"))');
    await loaded.getByText('Are you online?').waitFor();
    await page.context().setOffline(false);
  });

  test('a guest orders once, and sees live what becomes of it, with the network cut and reloads in between', async () => {
    const { id, page } = await openShop();
    const board = await openBoard(id);
    const card = board.locator('.card', { hasText: 'Ana' });
    // The order arrives, and its response does not.
    await page.route('**/graphql', async route => {
      if (!isPlacing(route.request())) return route.continue();
      await route.fetch();
      await route.abort();
      await page.unroute('**/graphql');
    });
    await order(page, 'Ana');
    await page.getByText('Your order may not have arrived').waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await page.reload();
    await button(page, 'Send again').click();
    await status(page, 'Sent.');
    await card.getByText('web', { exact: true }).waitFor();
    const { body } = await site.graphql('query ($id: ID!) { store(id: $id) { orders { totalCount } } }', { id });
    expect(body.data.store.orders.totalCount).toBe(1);

    await page.getByText('Live', { exact: true }).waitFor();
    await card.getByRole('button', { name: 'Accept' }).click();
    // With the day, where it is the next one.
    await status(page, /^Accepted: it is being prepared\. Ready at about .*\d:\d\d\.$/);
    await page.context().setOffline(true);
    await page.getByText('Not live now').waitFor();
    const placed = (await card.getAttribute('data-order')) ?? '';
    await change(placed, 'READY');
    await board.locator('.column.ready .card').waitFor();
    const resumed = page.waitForRequest(request => request.postData()?.includes('guestOrderEvents(') === true);
    await page.context().setOffline(false);
    await status(page, 'It is ready! It comes to your table.');
    expect((await resumed).postDataJSON().variables.after).toEqual(expect.any(String));
    expect(await seriousViolations(page)).toEqual([]);

    // Without streams, the order is read.
    await page.route('**/graphql', route =>
      route.request().headers().accept === 'text/event-stream' ? route.abort() : route.continue(),
    );
    await page.reload();
    await status(page, 'It is ready!');
    await page.getByText('Not live now').waitFor();
    await change(placed, 'FULFILLED');
    await status(page, 'Enjoy your meal!');
    await button(page, 'Order something else').click();
    await button(page, 'Add: burger').waitFor();
    expect(await page.evaluate('Object.keys(localStorage)')).toEqual([]);
  });

  test('a guest cancels an order that is not accepted yet, and reads why one was rejected', async () => {
    const { id, page } = await openShop();
    const board = await openBoard(id);
    await order(page, 'Bea');
    await button(page, 'Cancel the order').click();
    await status(page, 'You have cancelled your order.');
    await board.locator('.column.done .card', { hasText: 'Bea' }).waitFor();
    await button(page, 'Order something else').click();
    await order(page, 'Cleo');
    await board.locator('.card', { hasText: 'Cleo' }).locator('.card-main').click();
    await board.getByText('a web page; nobody has checked who it is').waitFor();
    await button(board.getByRole('complementary'), /^Reject/).click();
    await board.getByLabel('In other words').fill('no more cheese');
    await button(board, 'Yes, reject').click();
    await status(page, 'The restaurant cannot take your order, sorry. “no more cheese”');
    expect(await button(page, 'Cancel the order').isVisible()).toBe(false);
  });

  test('the console stops orders of guests by one tap, and takes them again', async () => {
    const { id, page } = await openShop();
    const board = await openBoard(id);
    await order(page, 'Dora', '1.50');
    await status(page, 'Sent.');
    expect(await page.locator('#details dl').innerText()).toMatch(/^Tip\s+€1\.50\s+Total\s+€14\.00$/);
    await button(board, 'Stop web orders').click();
    await button(board, 'Take web orders again').waitFor();
    await button(board, /^Orders: Open ?, no web orders/).waitFor();
    expect(await seriousViolations(board, { within: board.locator('.bar') })).toEqual([]);
    await page.evaluate('localStorage.clear()');
    await page.reload();
    await page.getByRole('status').getByText('We take no orders here at the moment').waitFor();
    await addBurger(page);
    await total(page, '€12.50');
    expect(await button(page, /^Order$/).isDisabled()).toBe(true);
    await button(board, 'Take web orders again').click();
    await button(board, 'Stop web orders').waitFor();
    await page.reload();
    await total(page, '€12.50');
    expect(await button(page, /^Order$/).isDisabled()).toBe(false);
  });
});
