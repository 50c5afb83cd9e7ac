import type { Locator, Page } from 'playwright-core';
import { expect, onTestFailed, onTestFinished, test } from 'vitest';
import { writePermissions } from '../../src/scope.ts';
import { describeInBrowser, seriousViolations } from '../support/browser.ts';
import { smallMenu } from '../support/data.ts';
import { createOrderCalls, inputFor, line } from '../support/evening.ts';
import { startReceiver } from '../support/receiver.ts';
import { site } from './site.ts';

const receiver = await startReceiver();
const operatorKey = await site.newKey({ name: 'operator', permissions: [...writePermissions, 'ADMIN'] });
const { createStore, postMenu, place, tryToPlace, change } = createOrderCalls(site);

const card = (page: Page, customer: string) => page.locator('.card', { hasText: customer });
const column = (page: Page, name: string) => page.locator('.column', { has: page.getByRole('heading', { name }) });
const cardIn = (page: Page, name: string, customer: string) =>
  column(page, name).locator('.card', { hasText: customer });
const notice = (page: Page, text: string | RegExp) => page.getByRole('log').getByText(text);
const viewsOf = (page: Page) => page.getByRole('navigation', { name: 'Views' }).getByRole('link');
/** The titles of the views, without counts. */
const views = async (page: Page) =>
  (await viewsOf(page).allTextContents()).map(text => text.replace(/\s*\d+ new/, '').trim());
const boxOf = async (part: Locator) => {
  const box = await part.boundingBox();
  if (!box) throw new Error('The part is not shown');
  return box;
};
/** Dark colors are tested where there are most of them. */
const light = { schemes: ['light'] } as const;
const expectFocus = (part: Locator) =>
  expect.poll(() => part.evaluate(element => element === document.activeElement)).toBe(true);

/** An order of this guest, placed through the graph. */
async function placeFor(storeId: string, name: string, more: object = {}): Promise<{ readonly id: string }> {
  const customer = { name, phone: '+351 912 345 678' };
  return place(storeId, ['2 burger: size/large, toppings/cheese'], { customer, ...more });
}

async function statusOf(id: string): Promise<string> {
  const { body } = await site.graphql('query ($id: ID!) { order(id: $id) { status } }', { id });
  return body.data.order.status;
}

/** The streams that are open, by their transport. */
async function openStreams(): Promise<Readonly<Record<string, number>>> {
  const metrics = await (await fetch(`${site.url}/metrics`)).text();
  const open = metrics.matchAll(/^carte_streams_open\{transport="(sse|websocket)"\} (\d+)/gm);
  return Object.fromEntries([...open].map(([, transport, count]) => [transport, Number(count)]));
}

/** Holds the requests of an operation until the returned function is called. */
async function hold(page: Page, operation: string): Promise<() => Promise<void>> {
  let release = () => {};
  const released = new Promise<void>(resolve => {
    release = resolve;
  });
  await page.route('**/graphql', async route => {
    const { operationName } = route.request().postDataJSON();
    if (operationName === operation) await released;
    await route.continue().catch(() => {});
  });
  return async () => {
    release();
    await page.unroute('**/graphql');
  };
}

describeInBrowser('/console', () => {
  const load = site.share();
  const openOther = site.share({ key: site.key });
  let current: { readonly page: Page; readonly key: string } | undefined;

  /** Opens a view. With the key of the test before, it is opened as by the back button: the console has more than fifty files. */
  async function open(path: string, key: string = site.key): Promise<Page> {
    onTestFailed(() => {
      current = undefined;
    });
    if (current?.key !== key) {
      current = { page: await load(path, key), key };
    } else {
      const goTo = `history.pushState(null, '', '${path}'), dispatchEvent(new PopStateEvent('popstate'))`;
      await current.page.evaluate(goTo);
    }
    return current.page;
  }

  test('asks for a key, and shows its stores, which a search finds', async () => {
    const page = await open('/console', '');
    await page.getByLabel('Key').fill('carte_unknown');
    await page.getByRole('button', { name: 'Use' }).click();
    await page.getByRole('alert').getByText('not known, or no longer valid').waitFor();
    expect(await page.getByRole('alert').innerText()).not.toContain('header');
    expect(await page.getByLabel('Key').inputValue()).toBe('carte_unknown');
    expect(await page.getByRole('link', { name: 'Carte', exact: true }).getAttribute('href')).toBe('./');
    await page.getByLabel('Key').fill(site.key);
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Dona Gaivota Lisbon' }).waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await page.getByRole('searchbox').fill('azul méxico');
    await page.getByText('1 found').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'The Blue Axolotl' }).waitFor();
    expect(new URL(page.url()).search).toBe('?store=mexico-roma');
    await page.goBack();
    await page.getByRole('heading', { name: 'Stores' }).waitFor();
    await page
      .getByText(/^demo|^test/)
      .first()
      .click();
    await page.getByRole('button', { name: 'Forget the key' }).click();
    await page.getByLabel('Key').waitFor();
    expect(await page.evaluate('sessionStorage.getItem("carte.key")')).toBeNull();
  });

  test('boards of a key share one stream, whichever is closed; those of other keys and browsers have their own', async () => {
    const store = await createStore();
    const path = `/console?store=${store}`;
    const live = (page: Page) => page.getByText('Live', { exact: true }).waitFor();
    const first = await site.open(path, { key: site.key });
    const context = first.context();
    const openTab = async (key: string) => {
      const page = await context.newPage();
      await page.addInitScript(`sessionStorage.getItem('carte.key') ?? sessionStorage.setItem('carte.key', '${key}')`);
      await page.goto(site.url + path);
      await live(page);
      return page;
    };
    await live(first);
    // The worker, which has four more, is not among them.
    const loaded = await first.evaluate<number[]>(
      `[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')].map(entry => entry.transferSize)`,
    );
    expect(loaded.length).toBeLessThanOrEqual(25);
    expect(loaded.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(90_000);
    const others = await Promise.all(Array.from({ length: 3 }, () => openTab(site.key)));
    // That of the orders, and that of the stores.
    await expect.poll(openStreams, { timeout: 60_000 }).toEqual({ sse: 0, websocket: 2 });
    const stranger = await openTab(await site.newKey({ storeIds: [store], permissions: [] }));
    await expect.poll(openStreams, { timeout: 60_000 }).toEqual({ sse: 0, websocket: 4 });
    await first.close();
    const [leaving, ...staying] = others;
    await leaving?.locator('.account summary').click();
    await leaving?.getByRole('button', { name: 'Forget the key' }).click();
    await placeFor(store, 'Inês');
    await Promise.all([...staying, stranger].map(page => cardIn(page, 'New', 'Inês').waitFor()));
    await stranger.close();
    await expect.poll(openStreams, { timeout: 60_000 }).toEqual({ sse: 0, websocket: 2 });

    // A browser without shared workers behind a proxy that refuses WebSockets.
    const alone = await site.open('/web/icon.svg', { key: site.key });
    await alone.addInitScript('delete window.SharedWorker');
    await alone.routeWebSocket(/graphql/, socket => socket.close({ code: 1011 }));
    await alone.goto(site.url + path);
    await live(alone);
    expect(await openStreams()).toEqual({ sse: 1, websocket: 2 });
    await placeFor(store, 'Rui');
    await cardIn(alone, 'New', 'Rui').waitFor();
  });

  test('shows a key what it can do, and nothing else', async () => {
    const storeIds = [await createStore()];
    const order = await placeFor(storeIds[0] ?? '', 'Rui');
    const readOnly = await open('/console', await site.newKey({ storeIds, permissions: [] }));
    await card(readOnly, 'Rui').click();
    await readOnly.getByRole('heading', { name: 'Rui' }).waitFor();
    expect(await views(readOnly)).toEqual(['Orders', 'Menu', 'History']);
    expect(await readOnly.getByRole('button', { name: /Accept|Reject/ }).count()).toBe(0);
    expect(await readOnly.getByRole('link', { name: 'Stores' }).count()).toBe(0);
    await readOnly.goto(`${site.url}/console?store=${storeIds[0]}&view=upload`);
    await card(readOnly, 'Rui').waitFor();
    const publishable = await open('/console', await site.newKey({ publishable: true, storeIds, permissions: [] }));
    await publishable.getByRole('alert').getByText('This is a publishable key').waitFor();
    await publishable.getByLabel('Key').waitFor();
    // A key that may not read menus has times and amounts as at the store all the same.
    const { id: tokyo } = await site.data.store({ country: 'JP', timezone: 'Asia/Tokyo' });
    await postMenu(tokyo);
    await placeFor(tokyo, 'Yuki', { readyBy: '2036-01-01T15:30:00Z' });
    const ordersOnly = await open('/console', await site.newKey({ storeIds: [tokyo], permissions: ['READ_ORDERS'] }));
    await card(ordersOnly, 'Yuki').getByText('2 Jan, 00:30').click();
    await ordersOnly.getByText('JP¥2,500 with').waitFor();
    expect(await views(ordersOnly)).toEqual(['Orders']);
    const historyOnly = await open('/console', await site.newKey({ storeIds, permissions: ['READ_HISTORY'] }));
    await historyOnly.getByText('there is nothing to open here').waitFor();
    const key = await site.newKey({ name: 'till of Rui', storeIds, permissions: writePermissions });
    const writing = await open('/console', key);
    await card(writing, 'Rui').getByRole('button', { name: 'Accept' }).waitFor();
    expect(await views(writing)).toEqual(['Orders', 'Stock', 'Menu', 'Upload', 'History']);
    expect(await statusOf(order.id)).toBe('PENDING');
    await site.orm.em.fork().execute("update api_key set revoked_at = now() where name = 'till of Rui'");
    await writing.getByRole('alert').getByText('no longer valid').waitFor();
    expect(await card(writing, 'Rui').count()).toBe(0);
  });

  test('an operator issues, rotates and revokes keys, whose secrets are shown once', async () => {
    const store = await createStore();
    // More than a page of keys that were issued before.
    await site.orm.em.fork().execute(`insert into api_key (id, name, hash, all_access, created_at, revoked_at)
      select 'old' || n, 'old', sha256(n::text::bytea), false, '2026-01-01', now() from generate_series(1, 101) n;
      insert into api_key (id, name, hash, all_access, permissions, publishable, origins) values
        ('page', 'page', 'page', true, '{}', true, '{https://menu.example}'),
        ('shop', 'shop', 'shop', true, '{PLACE_GUEST_ORDERS}', true, '{https://shop.example}'),
        ('board', 'board', 'board', true, '{STOCK,READ_MENUS,READ_ORDERS}', false, '{}')`);
    const page = await open('/console?view=keys', operatorKey);
    await page.getByText(/^1\d\d keys, the newest first$/).waitFor();
    expect(await page.getByRole('listitem').filter({ hasText: 'this tab' }).count()).toBe(1);
    for (const text of [
      'all stores · publishable: reads what guests may see, in pages of https://menu.example, Carte itself',
      'all stores · publishable: reads what guests may see and places their orders, in pages of https://shop.example, Carte itself',
      'all stores · reads menus, orders, changes stock',
    ])
      await page.getByText(text, { exact: true }).waitFor();
    await page.getByText('New key').click();
    const errorOf = (label: string) => page.locator('label', { hasText: label }).getByRole('alert');
    await page.getByRole('button', { name: 'Issue the key' }).click();
    await errorOf('Name').waitFor();
    await page.getByLabel('Name').fill('till');
    // Half a date, which is no date for the browser.
    await page.getByLabel('Expires').press('1');
    await page.getByRole('button', { name: 'Issue the key' }).click();
    await errorOf('Expires').getByText('This is not complete.').waitFor();
    await page.getByLabel('Expires').fill('');
    await page.getByRole('button', { name: 'Issue the key' }).click();
    const missing = 'A key needs an access scope: all, merchants or stores.';
    await page.getByRole('alert').getByText(missing, { exact: true }).waitFor();
    expect(await seriousViolations(page, { ...light, within: page.locator('.form') })).toEqual([]);
    expect(await page.getByLabel('Name').inputValue()).toBe('till');
    await page.getByLabel('Stores and merchants').fill('lisboa gaivota');
    await page.getByRole('button', { name: 'Issue the key' }).click();
    await page.getByRole('alert').getByText('Choose one of those that were found for “lisboa gaivota”').waitFor();
    expect(await page.getByLabel('Stores and merchants').getAttribute('aria-invalid')).toBe('true');
    await page.getByRole('list', { name: 'Found' }).getByRole('button', { name: 'lisbon-baixa' }).click();
    await page.getByRole('button', { name: 'Remove Dona Gaivota Lisbon' }).click();
    await page.getByLabel('Stores and merchants').fill(store);
    await page.getByRole('list', { name: 'Found' }).getByRole('button', { name: store }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('list', { name: 'Chosen' }).getByText(store).waitFor();
    expect(await page.getByLabel('Origins of the pages').isVisible()).toBe(false);
    await page.getByText('Permissions one by one').click();
    await page.getByRole('radio', { name: 'Web shop' }).check();
    expect(await page.getByLabel('publishable, for web pages').isChecked()).toBe(true);
    await page.getByLabel('Origins of the pages').waitFor();
    await page.getByRole('radio', { name: 'Kitchen' }).check();
    await page.getByRole('button', { name: 'Issue the key' }).click();
    const secret = page.locator('.secret code').first();
    const first = await secret.innerText();
    expect(await page.locator('.secret code').nth(1).innerText()).toBe(
      `curl -H 'x-api-key: ${first}' '${site.url}/v1/stores/${store}'`,
    );
    const { body } = await site.graphql('{ viewer { name permissions } }', {}, { 'x-api-key': first });
    expect(body.data.viewer).toEqual({
      name: 'till',
      permissions: ['ORDERS', 'STOCK', 'READ_MENUS', 'READ_ORDERS'],
    });
    const till = page.getByRole('listitem').filter({ has: page.getByText('till', { exact: true }) });
    await till.getByRole('button', { name: 'Rotate' }).click();
    await till.getByRole('button', { name: 'Yes, rotate it' }).click();
    await page.getByText('The new secret of “till”').waitFor();
    expect(await secret.innerText()).not.toBe(first);
    expect((await site.graphql('{ viewer { name } }', {}, { 'x-api-key': first })).status).toBe(401);
    expect(await seriousViolations(page, light)).toEqual([]);
    await page.getByRole('button', { name: 'Done' }).click();
    await till.getByRole('button', { name: 'Revoke' }).click();
    await till.getByRole('button', { name: 'Yes, revoke it' }).click();
    await till.getByText('revoked').waitFor();
    expect(await page.locator('body').innerText()).not.toContain('carte_');
  });

  test('an operator creates webhooks, tests them, and sees what was delivered', async () => {
    const store = await createStore();
    const page = await open('/console?view=webhooks', operatorKey);
    await page.getByText('New webhook').click();
    const url = page.locator('label', { has: page.getByLabel('URL') });
    await page.getByLabel('Store or merchant').fill(store);
    await page.getByRole('list', { name: 'Found' }).getByRole('button', { name: store }).click();
    for (const [wrong, message] of [
      ['nonsense', '"nonsense" is not a URL'],
      ['http://192.168.0.1/', '192.168.0.1'],
    ] as const) {
      await page.getByLabel('URL').fill(wrong);
      await page.getByRole('button', { name: 'Create the webhook' }).click();
      await url.getByRole('alert').filter({ hasText: message }).waitFor();
    }
    expect(await page.getByLabel('URL').getAttribute('aria-invalid')).toBe('true');
    await page.getByLabel('URL').fill(receiver.urlOf('/till'));
    await page.getByRole('button', { name: 'Create the webhook' }).click();
    expect(await page.locator('.secret code').innerText()).toMatch(/^whsec_/);
    const webhook = page.locator('.entry', { hasText: '/till' });
    await webhook.getByRole('button', { name: 'Test' }).click();
    await notice(page, /^Delivered: 2/).waitFor();
    await placeFor(store, 'Rui');
    await expect.poll(() => receiver.at('/till').length, { timeout: 60_000 }).toBe(2);
    await webhook.getByRole('button', { name: 'Deliveries' }).click();
    await webhook.getByRole('button', { name: 'Send again' }).click();
    await expect.poll(() => receiver.at('/till').length).toBe(3);
    const badge = webhook.locator('.badge');
    const good = await badge.evaluate(part => getComputedStyle(part).backgroundColor);
    await site.orm.em
      .fork()
      .execute('update webhook set failing_since = now() where url = ?', [receiver.urlOf('/till')]);
    await webhook.getByRole('button', { name: 'Deliveries' }).click();
    await webhook.getByRole('button', { name: 'Deliveries' }).click();
    await badge.getByText('failing', { exact: true }).waitFor();
    expect(await badge.evaluate(part => getComputedStyle(part).backgroundColor)).not.toBe(good);
    await webhook.getByRole('button', { name: 'Pause' }).click();
    await webhook.getByText('paused').first().waitFor();
    expect(await seriousViolations(page, light)).toEqual([]);
    await webhook.getByRole('button', { name: 'Remove' }).click();
    await webhook.getByRole('button', { name: 'Yes, remove it' }).click();
    await webhook.getByText('removed').first().waitFor();
  });

  test('an order appears on every board at once; of two who accept it, one is told that the other was faster', async () => {
    const store = await createStore();
    const path = `/console?store=${store}`;
    const [first, second] = [await open(path), await openOther(path)];
    await Promise.all([first, second].map(page => page.getByText('Live', { exact: true }).waitFor()));
    const order = await placeFor(store, 'Inês');
    await Promise.all([first, second].map(page => cardIn(page, 'New', 'Inês').waitFor()));
    expect(await first.title()).toBe('(1) Orders · Baixa · Console · Carte');
    expect(await first.getByRole('status').filter({ hasText: 'New order of Inês' }).count()).toBe(1);

    const release = await hold(second, 'ChangeOrderStatus');
    await card(second, 'Inês').getByRole('button', { name: 'Accept' }).click();
    await card(second, 'Inês').getByText('Accepting…').waitFor();
    await card(first, 'Inês').getByRole('button', { name: 'Accept' }).click();
    await cardIn(first, 'Kitchen', 'Inês').waitFor();
    await release();
    await notice(second, 'The order of Inês is already accepted: someone else was faster').waitFor();
    await cardIn(second, 'Kitchen', 'Inês').waitFor();
    await second.getByRole('button', { name: 'OK' }).click();
    expect(await notice(first, 'faster').count()).toBe(0);
    expect(await statusOf(order.id)).toBe('ACCEPTED');
  });

  test('a tap means the order that was there when it began, and two taps mean one order', async () => {
    const store = await createStore();
    const later = (minutes: number) => ({ readyBy: new Date(Date.now() + minutes * 60_000).toISOString() });
    const ana = await placeFor(store, 'Ana', later(50));
    const page = await site.open(`/console?store=${store}`, { key: site.key });
    await page.clock.install();
    const { x, y } = await boxOf(card(page, 'Ana').getByRole('button', { name: 'Accept' }));
    await page.mouse.move(x + 20, y + 20);
    await page.clock.pauseAt(Date.now() + 60_000);
    await page.mouse.down();
    // Due before the other one, it is above it.
    const bea = await placeFor(store, 'Bea', later(40));
    const second = await open(`/console?store=${store}`);
    await card(second, 'Bea').waitFor();
    await page.mouse.up();
    await page.clock.resume();
    await cardIn(page, 'Kitchen', 'Ana').waitFor();
    await card(page, 'Bea').waitFor();
    expect([await statusOf(ana.id), await statusOf(bea.id)]).toEqual(['ACCEPTED', 'PENDING']);
    await placeFor(store, 'Caro', later(60));
    await card(page, 'Caro').waitFor();
    await page.mouse.click(x + 120, y + 20);
    await cardIn(page, 'Kitchen', 'Bea').waitFor();
    await page.mouse.down({ clickCount: 2 });
    await page.mouse.up({ clickCount: 2 });
    expect(await page.getByRole('button', { name: 'Accept the order of Caro' }).count()).toBe(1);
  });

  test('a new order is reported in every view, and rings until someone accepts it', async () => {
    const store = await createStore();
    const page = await site.open('/web/icon.svg', { key: site.key });
    await page.clock.install();
    await page.addInitScript(`
      window.rung = 0;
      window.OscillatorNode = class extends OscillatorNode { start(at) { window.rung += 0.5; super.start(at); } };
      window.notified = [];
      window.Notification = class {
        static permission = 'default';
        static async requestPermission() { this.permission = 'granted'; }
        constructor(text) { window.notified.push(text); }
        close() { window.notified = []; }
      };`);
    await page.goto(`${site.url}/console?store=${store}`);
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Notify me' }).click();
    await viewsOf(page).filter({ hasText: 'Stock' }).click();
    await page.getByRole('switch', { name: 'soup' }).waitFor();
    const order = await placeFor(store, 'Inês');
    await viewsOf(page).filter({ hasText: 'Orders 1 new' }).waitFor();
    expect(await page.title()).toBe('(1) Stock · Baixa · Console · Carte');
    expect(await page.evaluate('notified')).toEqual(['New order of Inês']);
    expect(await page.evaluate('rung')).toBe(1);
    await page.getByRole('link', { name: 'Stores' }).click();
    await viewsOf(page).filter({ hasText: 'Orders 1 new · Baixa' }).waitFor();
    await page.clock.runFor(20_000);
    const rung = await page.evaluate<number>('rung');
    expect(rung).toBeGreaterThan(1);
    await change(order.id, 'ACCEPTED');
    await expect.poll(() => page.title(), { timeout: 60_000 }).toBe('Stores · Console · Carte');
    await page.clock.runFor(20_000);
    expect(await page.evaluate('[rung, notified.length]')).toEqual([rung, 0]);
  });

  test('loses nothing while the network is cut, and is right afterwards', async () => {
    const store = await createStore();
    const [mine, theirs] = [await placeFor(store, 'Mine'), await placeFor(store, 'Theirs')];
    const page = await open(`/console?store=${store}`);
    await card(page, 'Theirs').waitFor();
    await page.context().setOffline(true);
    onTestFinished(() => page.context().setOffline(false));
    await page.getByText('No connection').waitFor();
    for (const name of ['Mine', 'Theirs']) await card(page, name).getByRole('button', { name: 'Accept' }).click();
    await page.getByText('No connection, 2 waiting to be sent').waitFor();
    await change(theirs.id, 'CUSTOMER_CANCELLED');
    await placeFor(store, 'Late');
    await page.context().setOffline(false);
    await cardIn(page, 'Kitchen', 'Mine').waitFor();
    await cardIn(page, 'New', 'Late').waitFor();
    await cardIn(page, 'Done', 'Theirs').waitFor();
    await notice(page, 'The order of Theirs is already cancelled by the guest').waitFor();
    await page.getByRole('button', { name: 'OK' }).click();
    expect([await statusOf(mine.id), await statusOf(theirs.id)]).toEqual(['ACCEPTED', 'CUSTOMER_CANCELLED']);
    expect(await page.evaluate("Object.keys(sessionStorage).filter(name => name.includes('outbox'))")).toEqual([]);
  });

  test('a change whose response was lost is not reported as a conflict', async () => {
    const store = await createStore();
    const order = await placeFor(store, 'Lost');
    const page = await open(`/console?store=${store}`);
    await card(page, 'Lost').waitFor();
    await page.route('**/graphql', async route => {
      if (route.request().postDataJSON().operationName !== 'ChangeOrderStatus') return route.continue();
      await route.fetch();
      await route.abort();
      await page.unroute('**/graphql');
    });
    await card(page, 'Lost').getByRole('button', { name: 'Accept' }).click();
    await cardIn(page, 'Kitchen', 'Lost').waitFor();
    await column(page, 'Kitchen').getByRole('button', { name: 'Ready' }).waitFor();
    expect(await page.getByRole('log').innerText()).toBe('');
    expect(await statusOf(order.id)).toBe('ACCEPTED');
  });

  test('a ticket has every line, modifier and note, and is late in a red apart from the accent until it is ready', async () => {
    const store = await createStore();
    const lines = ['2 burger: size/large, toppings/cheese*2', '1 cola', '3 cola', '1 burger: size/regular', '1 cola']
      .map(text => line(text))
      .concat(line('1 soup: bread/roll', { note: 'no onions' }));
    const readyBy = new Date(Date.now() - 7 * 60_000).toISOString();
    const input = inputFor(store, lines, { readyBy, customerComments: 'Allergic to nuts' });
    const { order } = await tryToPlace(input);
    const { id: forgotten } = await placeFor(store, 'Forgotten');
    await change(forgotten, 'ACCEPTED');
    await site.orm.em
      .fork()
      .execute("update orders set ready_by = now() - interval '75 minutes' where id = ?", [forgotten]);
    const page = await open(`/console?store=${store}`);
    await card(page, 'Forgotten').getByText('late 1 h 15 min').waitFor();
    await page.setViewportSize({ width: 1280, height: 500 });
    onTestFinished(() => page.setViewportSize({ width: 1280, height: 720 }));
    const ticket = card(page, 'Ana Lima');
    await ticket.getByText(/late \d+ min$/).waitFor();
    expect((await ticket.locator('.lines > li').allInnerTexts()).map(text => text.split(/\s*\n\s*/))).toEqual([
      ['2', 'burger', 'large', '2 × cheese'],
      ['1', 'cola'],
      ['3', 'cola'],
      ['1', 'burger', 'regular'],
      ['1', 'cola'],
      ['1', 'soup', 'roll', 'no onions'],
    ]);
    expect(await ticket.locator('.note').allInnerTexts()).toEqual(['no onions', 'Allergic to nuts']);
    // The columns scroll, and the connection stays in sight.
    await ticket.getByText('Allergic to nuts').scrollIntoViewIfNeeded();
    expect(await column(page, 'New').evaluate(element => element.scrollTop)).toBeGreaterThan(0);
    expect((await boxOf(page.getByText('Live', { exact: true }))).y).toBeGreaterThan(0);
    const rgbOf = (part: Locator): Promise<number[]> =>
      part.evaluate(element => getComputedStyle(element).backgroundColor.match(/\d+/g)?.map(Number) ?? []);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      const [late, accent] = [await rgbOf(ticket.locator('.card-main')), await rgbOf(ticket.locator('.next'))];
      expect(Math.hypot(...late.map((part, index) => part - (accent[index] ?? 0)))).toBeGreaterThan(80);
    }
    expect(await seriousViolations(page)).toEqual([]);
    await change(order.id, 'ACCEPTED');
    await change(order.id, 'READY');
    await cardIn(page, 'Ready', 'Ana Lima').waitFor();
    expect(await page.locator('.late', { hasText: 'Ana Lima' }).count()).toBe(0);
  });

  test('a ticket says how the guest gets an order, where, what to collect, and what is for later', async () => {
    const store = await createStore();
    const address = {
      locationName: 'Arcádia, 3rd floor',
      addressLine1: 'Rua Augusta 1',
      addressLine2: 'Stairs B',
      addressLine3: 'Door 7',
      postalCode: '1100-048',
      city: 'Lisboa',
      adminArea: 'Lisboa',
      country: 'PT',
      note: 'ring twice',
    };
    const paid = (amount: number, state?: string) => ({ payments: [{ method: 'card', amount, state }] });
    const later = { readyBy: new Date(Date.now() + 26 * 3_600_000).toISOString() };
    await placeFor(store, 'Ana', { serviceType: 'DINE_IN', table: '12', ...paid(2500, 'PAID'), ...later });
    const extra = {
      charges: [{ name: 'Courier', amount: 50 }],
      discounts: [{ name: 'Voucher', amount: 250 }],
      tip: 40,
    };
    await placeFor(store, 'Bea', { serviceType: 'DELIVERY', address, ...extra, ...paid(1000, 'PAID') });
    await placeFor(store, 'Caro', { serviceType: 'PICKUP', ...paid(2500) });
    await placeFor(store, 'Duarte');
    const page = await open(`/console?store=${store}`);
    const factsOf = (name: string) => card(page, name).locator('.service, .facts').allInnerTexts();
    await card(page, 'Ana').waitFor();
    expect(await Promise.all(['Ana', 'Bea', 'Caro', 'Duarte'].map(factsOf))).toEqual([
      ['Dine-in, table 12', '2 items\nPaid 25.00'],
      ['Delivery', '2 items\nCollect 13.40'],
      ['Pick-up', '2 items\n25.00 by card'],
      ['2 items\n25.00'],
    ]);
    expect(await column(page, 'New').locator('h3 ~ ul .card strong').allInnerTexts()).toEqual(['Ana']);
    const sizeOf = (part: Locator) => part.evaluate(element => Number.parseFloat(getComputedStyle(element).fontSize));
    const parts = card(page, 'Bea').locator('.when, .service, .card-main strong, .facts');
    const sizes = await Promise.all((await parts.all()).map(sizeOf));
    expect(sizes).toEqual(sizes.toSorted((one, other) => other - one));
    await card(page, 'Bea').locator('.card-main').click();
    const detail = page.getByRole('complementary');
    expect((await detail.locator('address').innerText()).split('\n')).toEqual([
      'Arcádia, 3rd floor',
      'Rua Augusta 1',
      'Stairs B',
      'Door 7',
      '1100-048 Lisboa',
      'Lisboa',
      'PT',
    ]);
    await detail.getByText('ring twice').waitFor();
    expect((await detail.locator('dl').first().innerText()).replaceAll(/\s*\n\s*/g, ' ')).toBe(
      'Items 25.00 Courier 0.50 Voucher −2.50 Tip 0.40 Total 23.40 with 2.50 tax By card 10.00, paid',
    );
    expect(await seriousViolations(page)).toEqual([]);
  });

  test('a long order keeps its answers in sight: another time, which leads from then on, or a reason', async () => {
    const store = await createStore();
    const lines = Array.from({ length: 14 }, () => line('1 burger: size/large'));
    const readyBy = new Date(Date.now() + 20 * 60_000);
    const long = (name: string) => ({
      ...inputFor(store, lines, { readyBy: readyBy.toISOString() }),
      customer: { name, phone: '' },
    });
    for (const name of ['Ana', 'Bea', 'Caro']) await tryToPlace(long(name));
    const { id: soon } = await placeFor(store, 'Soon', { readyBy: new Date(Date.now() + 25 * 60_000).toISOString() });
    await change(soon, 'ACCEPTED');
    const page = await open(`/console?store=${store}`);
    const answer = (customer: string, name: string) => card(page, customer).getByRole('button', { name });
    await card(page, 'Ana').waitFor();
    for (const name of ['Accept', 'Reject']) {
      const { y, height } = await boxOf(answer('Ana', name));
      expect(y + height).toBeLessThanOrEqual(720);
    }
    await answer('Ana', '10 min later').click();
    await cardIn(page, 'Kitchen', 'Ana')
      .getByText(/in (29|30) min\s+confirmed/)
      .waitFor();
    // Due later than the guest wanted, it is below the other one now.
    expect(await column(page, 'Kitchen').locator('.card strong').allInnerTexts()).toEqual(['Soon', 'Ana']);
    const { body } = await site.graphql(
      'query ($id: ID!) { store(id: $id) { orders { nodes { customer { name } confirmedReadyBy } } } }',
      { id: store },
    );
    const ana = body.data.store.orders.nodes.find(
      ({ customer }: { customer: { name: string } }) => customer.name === 'Ana',
    );
    expect(ana.confirmedReadyBy).toBe(new Date(readyBy.getTime() + 600_000).toISOString());

    await answer('Bea', 'Another time').click();
    const dialog = page.getByRole('dialog');
    const time = dialog.getByLabel('Time at the store');
    await time.fill('');
    await dialog.getByRole('button', { name: 'Accept' }).click();
    await dialog.getByRole('alert').getByText('Enter a date and a time.').waitFor();
    expect(await time.getAttribute('aria-invalid')).toBe('true');
    expect(await seriousViolations(page, { within: dialog })).toEqual([]);
    await time.fill(new Date(Date.now() + 30 * 3_600_000).toISOString().slice(0, 16));
    await dialog.getByRole('button', { name: 'Accept' }).click();
    await column(page, 'Kitchen').locator('h3 ~ ul .card', { hasText: 'Bea' }).waitFor();

    await answer('Caro', 'Reject').click();
    await dialog.getByText('Reject? This cannot be undone.').waitFor();
    await dialog.getByLabel('Sold out').check();
    expect(await seriousViolations(page, { ...light, within: dialog })).toEqual([]);
    await dialog.getByRole('button', { name: 'Yes, reject' }).click();
    await cardIn(page, 'Done', 'Caro').locator('.card-main').click();
    await page.getByRole('definition').getByText('Sold out', { exact: true }).waitFor();
  });

  test('lines are ticked off, and steps can be taken back for five seconds, both also over a reload', async () => {
    const store = await createStore();
    const order = await placeFor(store, 'Ana');
    await change(order.id, 'ACCEPTED');
    const page = await site.open(`/console?store=${store}`, { key: site.key });
    await page.clock.install();
    await page.reload();
    const ticket = card(page, 'Ana');
    const tick = ticket.getByRole('checkbox', { name: '2 burger' });
    await tick.click();
    expect(await ticket.locator('b').evaluate(part => getComputedStyle(part).textDecorationLine)).toBe('line-through');
    expect(await seriousViolations(page)).toEqual([]);
    await page.clock.pauseAt(Date.now() + 60_000);
    await ticket.getByRole('button', { name: 'Ready' }).click();
    const takeBack = ticket.getByRole('button', { name: 'Take back' });
    await takeBack.waitFor();
    await page.reload();
    await takeBack.waitFor();
    expect([await statusOf(order.id), await tick.getAttribute('aria-checked')]).toEqual(['ACCEPTED', 'true']);
    await takeBack.click();
    const ready = ticket.getByRole('button', { name: 'Ready' });
    await ready.waitFor();
    await page.clock.fastForward(10_000);
    expect(await statusOf(order.id)).toBe('ACCEPTED');
    await ready.press('Enter');
    await takeBack.waitFor();
    await page.clock.fastForward(5000);
    await cardIn(page, 'Ready', 'Ana').waitFor();
    await page.clock.fastForward('07:00');
    await ticket.getByText(/^waits [78] min$/).waitFor();
    await ticket.getByRole('button', { name: 'Handed over' }).press('Enter');
    await takeBack.waitFor();
    await page.clock.resume();
    // Whoever leaves the store does not take it back any more.
    await page.evaluate(
      `history.pushState(null, '', '/console?store=lisbon-baixa'), dispatchEvent(new PopStateEvent('popstate'))`,
    );
    await expect.poll(() => statusOf(order.id), { timeout: 60_000 }).toBe('FULFILLED');
  });

  test('what an order has is sold out by a tap in its details', async () => {
    const store = await createStore();
    await placeFor(store, 'Ana');
    const page = await open(`/console?store=${store}`);
    await card(page, 'Ana').locator('.card-main').click();
    const isInStock = async () => {
      const { body } = await site.graphql(
        'query ($id: ID!) { store(id: $id) { item(externalId: "burger") { inStock } modifierItem(externalId: "cheese") { inStock } } }',
        { id: store },
      );
      return [body.data.store.item.inStock, body.data.store.modifierItem.inStock];
    };
    const button = (name: string) => page.getByRole('complementary').getByRole('button', { name: `Sold out: ${name}` });
    await button('cheese').click();
    await notice(page, 'cheese is sold out').waitFor();
    expect([await isInStock(), await button('cheese').getAttribute('aria-pressed')]).toEqual([[true, false], 'true']);
    await button('cheese').click();
    await notice(page, 'cheese is in stock again').waitFor();
    await button('burger').click();
    await notice(page, 'burger is sold out').waitFor();
    expect(await isInStock()).toEqual([false, true]);
  });

  test('can be used by keyboard: to an order, its details, a refusal that asks first, and back', async () => {
    const store = await createStore();
    const ana = await placeFor(store, 'Ana');
    await placeFor(store, 'Bea');
    const page = await open(`/console?store=${store}`);
    // Without the notices of the test before.
    await page.reload();
    await card(page, 'Bea').waitFor();
    await page.getByRole('switch', { name: 'Sound' }).focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await expectFocus(card(page, 'Bea').locator('.card-main'));
    await page.keyboard.press('Enter');
    await page.getByRole('complementary').getByText('cheese', { exact: true }).waitFor();
    await expectFocus(page.getByRole('heading', { name: 'Bea' }));
    await page.getByRole('complementary').getByRole('button', { name: 'Reject' }).press('Enter');
    await page.getByText('Reject? This cannot be undone.').waitFor();
    await page.keyboard.press('Escape');
    await expectFocus(page.getByRole('complementary').getByRole('button', { name: 'Reject' }));
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await page.getByRole('complementary').getByText('rejected').waitFor();
    await page.keyboard.press('Escape');
    await cardIn(page, 'Done', 'Bea').getByText('rejected').waitFor();
    await expect.poll(() => page.getByRole('complementary').count()).toBe(0);
    await expectFocus(card(page, 'Bea').locator('.card-main'));
    await card(page, 'Ana').locator('.card-main').focus();
    await page.keyboard.press('n');
    await cardIn(page, 'Kitchen', 'Ana').waitFor();
    // The first digits find, too, and what was found stays current.
    await page.getByRole('searchbox').fill('+351 912');
    await page.getByText('2 found').waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    const looks = (name: string) =>
      card(page, 'Ana')
        .getByRole('button', { name })
        .evaluate(button => [getComputedStyle(button).backgroundColor, getComputedStyle(button).color]);
    const found = await looks('Ready');
    await page.getByRole('searchbox').fill('');
    await cardIn(page, 'Kitchen', 'Ana').waitFor();
    await expect.poll(() => looks('Ready')).toEqual(found);
    await page.getByRole('searchbox').fill('+351 912');
    await page.getByText('2 found').waitFor();
    const { id } = ana;
    for (const status of ['READY', 'FULFILLED']) await change(id, status);
    await card(page, 'Ana').getByText('handed over now').waitFor();
    expect(await page.getByRole('log').innerText()).toBe('');
    await placeFor(store, 'Caro');
    await page.getByText('3 found').waitFor();
    await page.getByRole('searchbox').fill('');
  });

  test('what was handed over last is in Done, however long ago it was ordered', async () => {
    const [store, now] = [await site.data.store(), new Date()];
    await site.data.orders(store, 60, {
      status: 'FULFILLED',
      completedAt: new Date(now.getTime() - 60_000),
      readyBy: now,
    });
    const placed = { status: 'READY', createdAt: new Date('2026-02-01T12:00:00Z'), readyBy: now } as const;
    const [early] = await site.data.orders(store, 1, { ...placed, customerName: 'Early' });
    const [other] = await site.data.orders(store, 1, { ...placed, customerName: 'Other' });
    const page = await open(`/console?store=${store.id}`);
    await change(early?.id ?? '', 'FULFILLED');
    await cardIn(page, 'Done', 'Early').waitFor();
    // So many orders are changed at once that there is one event for all of them.
    const sql = `update orders set is_read = true, status = 'FULFILLED', completed_at = coalesce(completed_at, now())
      where store_id = ? and (status = 'FULFILLED' or id = ?)`;
    await site.orm.em.fork().execute(sql, [store.id, other?.id]);
    await cardIn(page, 'Done', 'Other').waitFor();
    const fresh = await openOther(`/console?store=${store.id}`);
    for (const name of ['Early', 'Other']) await cardIn(fresh, 'Done', name).waitFor();
    expect(await column(fresh, 'Done').locator('.card').count()).toBe(30);
  });

  test('an order of another store is shown in that store, in its currency, and its lines in the language of the reader', async () => {
    const store = await createStore();
    const { id: tokyo } = await site.data.store({ country: 'JP', timezone: 'Asia/Tokyo' });
    await postMenu(tokyo);
    const order = await placeFor(tokyo, 'Yuki');
    const page = await site.open(`/console?store=${store}&order=${order.id}`, { key: site.key, locale: 'pt-PT' });
    await page.waitForURL(`${site.url}/console?store=${tokyo}&order=${order.id}`);
    const details = page.getByRole('complementary');
    await details.getByText('burger (pt)').waitFor();
    expect(await details.innerText()).toMatch(/Total\s+JP¥2,500/);
  });

  test('a dish is sold out by one tap, also while the network is cut, and back in stock', async () => {
    const store = await createStore();
    const page = await open(`/console?store=${store}&view=stock`);
    const soup = page.getByRole('switch', { name: 'soup' });
    const soldOut = async () => {
      const { body } = await site.graphql('query ($id: ID!) { store(id: $id) { items { externalId inStock } } }', {
        id: store,
      });
      return body.data.store.items.flatMap((item: { externalId: string; inStock: boolean }) =>
        item.inStock ? [] : item.externalId,
      );
    };
    await page.getByRole('searchbox').fill('SOUP');
    await page.getByText('1 shown').waitFor();
    await soup.click();
    expect(await soup.getAttribute('aria-checked')).toBe('false');
    await expect.poll(soldOut).toEqual(['soup']);
    await page.context().setOffline(true);
    onTestFinished(() => page.context().setOffline(false));
    await soup.click();
    expect(await soup.getAttribute('aria-checked')).toBe('true');
    await page.getByText('No connection').waitFor();
    await page.context().setOffline(false);
    await expect.poll(soldOut, { timeout: 60_000 }).toEqual([]);
    await page.getByLabel('For how long').selectOption('for 1 hour');
    await soup.click();
    await page.getByText(/^sold out until .*\d\d:\d\d$/).waitFor();
    await page.reload();
    await page.getByText(/^sold out until .*\d\d:\d\d$/).waitFor();
    expect(await soldOut()).toEqual(['soup']);
    expect(await seriousViolations(page, light)).toEqual([]);
  });

  test('uploads a configuration as it is posted, and shows every error beside its place in the text', async () => {
    const store = await createStore();
    const page = await open(`/console?store=${store}&view=upload`);
    const area = page.getByLabel('Configuration in JSON');
    const compare = () => page.getByRole('button', { name: 'Replace the menu' }).click();
    const preview = page.getByRole('alert').filter({ hasText: 'This changes what is on the menu now' });
    const upload = async () => {
      await compare();
      await preview.getByRole('button', { name: 'Yes, replace it' }).click();
    };
    await area.fill('{"items": [}');
    await compare();
    await page.getByText('This is no JSON').waitFor();
    await page.getByRole('button', { name: 'Begin with the current menu' }).click();
    await expect.poll(() => area.inputValue()).toContain('"modifier_external_ids": [');
    const current = await area.inputValue();
    await area.fill(current.slice(0, current.length / 2));
    await compare();
    await page.getByText('The text ends in the middle: the file is not complete.').waitFor();
    // What is left out has the default.
    await area.fill(current.replaceAll(/,\s*"in_stock": true/g, ''));
    await compare();
    await preview.getByText('No entity differs').waitFor();
    await area.fill(current.replace('"price": 550', '"price": 620').replace('"cola (pt)"', '"Coca-Cola"'));
    await compare();
    await preview.getByText('2 changed').waitFor();
    expect(await preview.getByRole('listitem').allInnerTexts()).toEqual([
      expect.stringMatching(/^changed cola item\s+name \(pt\)\s+cola \(pt\)\s*Coca-Cola$/),
      expect.stringMatching(/^changed soup item\s+price\s+550\s*620$/),
    ]);
    expect(await seriousViolations(page, light)).toEqual([]);
    await preview.getByRole('button', { name: 'Yes, replace it' }).click();
    await page.getByText('The menu is replaced').waitFor();
    const item = {
      external_id: 'tea',
      name: { translations: { en: 'Tea', ar: 'شاي' } },
      price: 200,
      tax: 20,
      sell_separately: true,
    };
    const wrong = {
      items: [
        { ...item, price: '2' },
        { ...item, external_id: 'tea', tax: undefined, colour: 'red' },
        { ...item, external_id: 'milk', colour: 'white', id: 7 },
      ],
    };
    const buffer = Buffer.from(JSON.stringify(wrong, null, 2));
    await page.getByLabel('Choose a file').setInputFiles({ name: 'menu.json', mimeType: 'application/json', buffer });
    await expect.poll(() => area.inputValue()).toBe(String(buffer));
    await upload();
    await page.getByText('There are 2 errors. Nothing was changed.').waitFor();
    await page.getByText('no such fields: items[].colour (2), items[].id.').waitFor();
    const errors = page.getByRole('list', { name: 'Errors' }).getByRole('listitem');
    expect(await errors.first().innerText()).toMatch(
      /line 11 · items\.0\.price\s+"price": "2",\s+"2" is not a whole number/,
    );
    await errors.first().getByRole('button').click();
    expect(
      await area.evaluate((field: HTMLTextAreaElement) => field.value.slice(field.selectionStart, field.selectionEnd)),
    ).toBe('"2"');
    const missing = errors.nth(1);
    expect(await missing.innerText()).toMatch(/items\.1\.tax[\s\S]*tax is missing$/);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await seriousViolations(page, { ...light, within: page.getByRole('list', { name: 'Errors' }) })).toEqual([]);
    expect(
      await page.locator('.findings pre').evaluateAll(all => all.map(pre => pre.scrollWidth > pre.clientWidth)),
    ).toEqual([false, false]);
    await page.setViewportSize({ width: 1280, height: 720 });

    await area.fill(
      JSON.stringify({ items: [item, { ...item, external_id: 'tea', name: { translations: { '': 'x' } } }] }),
    );
    await upload();
    await page.getByText('There is one error.').waitFor();
    // Someone else is faster.
    await area.fill(JSON.stringify({ items: [item] }));
    await compare();
    await preview.getByText('removed').first().waitFor();
    await site.graphql(
      'mutation ($id: ID!) { setStock(input: { storeId: $id, items: [{ externalId: "soup", inStock: false }] }) { store { id } } }',
      { id: store },
    );
    await preview.getByRole('button', { name: 'Yes, replace it' }).click();
    await page.getByText('Someone else has just changed the menu').waitFor();
    await upload();
    await page.getByText('The menu is replaced').waitFor();
    const { text } = await site.graphql('query ($id: ID!) { store(id: $id) { items { name { translations } } } }', {
      id: store,
    });
    expect(text).toContain('{"en":"Tea","ar":"شاي"}');
    await page
      .getByRole('complementary')
      .getByText('There are items')
      .or(page.getByRole('complementary').getByText('no menu'))
      .first()
      .waitFor();
  });

  test('does not stand still while a text of 10 MB is pasted, compared and refused', async () => {
    const store = await createStore();
    const page = await site.open(`/console?store=${store}&view=upload`, { key: site.key });
    const area = page.getByLabel('Configuration in JSON');
    await area.fill('x');
    await area.selectText();
    const item = { name: { translations: { en: 'Tea' } }, price: 200, tax: 20, sell_separately: true, unknown: 1 };
    const items = Array.from({ length: 900 }, (_, index) => ({
      ...item,
      external_id: `tea-${index}`,
      description: { translations: { en: 'A long text. '.repeat(820) } },
    }));
    const text = JSON.stringify({ items: [...items, { ...item, external_id: 'tea-0' }] }, null, 2);
    expect(text.length).toBeGreaterThan(9.5e6);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.evaluate(given => navigator.clipboard.writeText(given), text);
    /** How long the page needs for something that has to be done at once, on this machine and now. */
    const parseMs = await page.evaluate(given => {
      const start = performance.now();
      JSON.parse(given);
      return performance.now() - start;
    }, text);
    await page.evaluate(() => {
      const tasks: number[] = [];
      Object.assign(window, { tasks });
      new PerformanceObserver(list => tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({
        type: 'longtask',
      });
    });
    await area.press('ControlOrMeta+V');
    await page.getByText('million characters, which is too long to be shown here').waitFor();
    await page.getByRole('button', { name: 'Replace the menu' }).click();
    const preview = page.getByRole('alert').filter({ hasText: 'This changes what is on the menu now' });
    await preview.getByText('900 added').waitFor({ timeout: 60_000 });
    await preview.getByRole('button', { name: 'Yes, replace it' }).click();
    await page.getByText('There is one error. Nothing was changed.').waitFor({ timeout: 60_000 });
    await page.getByText('items[].unknown').waitFor();
    expect(await page.getByRole('list', { name: 'Errors' }).innerText()).toContain('items.900.external_id');
    const tasks = await page.evaluate(() => Reflect.get(window, 'tasks') as number[]);
    expect(Math.max(0, ...tasks)).toBeLessThan(Math.max(200, 4 * parseMs));
    await page.getByRole('button', { name: 'Take another' }).click();
    expect(await area.inputValue()).toBe('');
  });

  test('shows the menu in the language chosen, from right to left where it is written so', async () => {
    const store = await site.data.store({ country: 'SA', name: { translations: { ar: 'الواحة' } } });
    const menu = JSON.parse(JSON.stringify(smallMenu('Lunch')).replaceAll('"Lunch"', '"Lunch","ar":"حمص"'));
    await site.data.menu(store, menu);
    const page = await open(`/console?store=${store.id}&view=menu`);
    await page.getByRole('heading', { name: 'Lunch' }).first().waitFor();
    await page.getByLabel('Language').selectOption('ar');
    await page.getByRole('heading', { name: 'حمص' }).first().waitFor();
    const [name, price] = [await boxOf(page.locator('.item h4')), await boxOf(page.locator('.item > .price'))];
    expect(price.x).toBeLessThan(name.x);
    await page.getByRole('heading', { name: 'Diagnostics' }).waitFor();
    expect(await seriousViolations(page, light)).toEqual([]);
  });

  test('a store without a menu leads to the upload of one', async () => {
    const { id } = await site.data.store();
    for (const view of ['menu', 'stock']) {
      const page = await open(`/console?store=${id}&view=${view}`);
      await page.getByText('This store has no menu yet.').waitFor();
      expect(await page.getByRole('searchbox').count()).toBe(0);
      expect(await seriousViolations(page, light)).toEqual([]);
      await page.getByRole('link', { name: 'Upload one' }).click();
      await page.getByLabel('Configuration in JSON').waitFor();
    }
  });

  test('prices and special hours are changed where they are shown', async () => {
    const store = await createStore();
    const page = await open(`/console?store=${store}&view=menu`);
    const price = page.getByRole('button', { name: 'Change the price of soup' });
    await price.click();
    const dialog = page.getByRole('dialog');
    const save = () => dialog.getByRole('button', { name: 'Save' }).click();
    const field = dialog.getByLabel('Price');
    expect(await field.inputValue()).toBe('5.50');
    await field.fill('5.505');
    await save();
    await dialog.getByRole('alert').getByText('Enter an amount such as 12.50.').waitFor();
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    expect(await seriousViolations(page, { ...light, within: dialog })).toEqual([]);
    await field.fill('6,60');
    // The tax keeps its rate.
    expect(await dialog.getByLabel('Tax').inputValue()).toBe('0.66');
    await site.graphql(
      'mutation ($id: ID!) { setStock(input: { storeId: $id, items: [{ externalId: "cola", inStock: false }] }) { store { id } } }',
      { id: store },
    );
    await save();
    await dialog.getByRole('alert').getByText('Someone else has just changed something else in the menu.').waitFor();
    await save();
    await price.getByText('6.60').waitFor();
    const query =
      'query ($id: ID!) { store(id: $id) { item(externalId: "soup") { price { amount } tax { amount } } specialHours { date name timePeriods { startTime endTime } } } }';
    const shown = async () => (await site.graphql(query, { id: store })).body.data.store;
    expect((await shown()).item).toEqual({ price: { amount: 660 }, tax: { amount: 66 } });
    await page.locator('.item', { hasText: 'soup' }).locator('summary').click();
    await page.getByRole('button', { name: 'Change the price of roll' }).click();
    expect(await dialog.getByLabel('Change of the price').inputValue()).toBe('0.90');
    await dialog.getByRole('button', { name: 'Cancel' }).click();

    await page.getByRole('button', { name: 'Edit the special hours' }).click();
    for (const [index, date] of ['2036-12-24', '2036-12-24'].entries()) {
      await dialog.getByRole('button', { name: 'Add a date' }).click();
      await dialog.getByLabel('Date').nth(index).fill(date);
    }
    await save();
    await dialog.getByRole('alert').getByText('2036-12-24').waitFor();
    await dialog.getByRole('button', { name: 'Remove this date' }).last().click();
    await dialog.getByLabel('Name').fill('Christmas Eve');
    await dialog.getByRole('button', { name: 'Hours', exact: true }).click();
    await dialog.getByLabel('To').fill('16:00');
    expect(await seriousViolations(page, { within: dialog })).toEqual([]);
    await save();
    await page.getByRole('region', { name: 'Special hours' }).getByText('12:00–16:00').waitFor();
    expect((await shown()).specialHours).toEqual([
      { date: '2036-12-24', name: 'Christmas Eve', timePeriods: [{ startTime: '12:00', endTime: '16:00' }] },
    ]);

    // Whoever edited them before they are loaded would remove all.
    const release = await hold(page, 'ConsoleSpecialHours');
    await open(`/console?store=${store}&view=stock`);
    await open(`/console?store=${store}&view=menu`);
    await price.waitFor();
    expect(await page.getByRole('button', { name: 'Edit the special hours' }).count()).toBe(0);
    await release();
    await page.getByRole('region', { name: 'Special hours' }).getByText('12:00–16:00').waitFor();
  });

  test('shows what each revision of the menu has changed, and restores one', async () => {
    const store = await createStore();
    await postMenu(store, ['soup'], 50);
    const page = await open(`/console?store=${store}&view=history`);
    const revisions = page.getByRole('region', { name: 'Today' }).locator('.revisions > li');
    await revisions.nth(1).waitFor();
    expect(await revisions.first().innerText()).toMatch(/^7 items changed\s+current/);
    await revisions.first().getByRole('button').click();
    const soup = revisions.first().getByRole('listitem').filter({ hasText: 'soup' });
    expect(await soup.innerText()).toMatch(/changed\s+soup\s+item in all-day › food/);
    expect(await soup.locator('del').allTextContents()).toContain('5.50');
    expect(await soup.locator('ins').allTextContents()).toContain('6.00');
    expect(await seriousViolations(page)).toEqual([]);
    await revisions.nth(1).getByRole('button').first().click();
    await page.getByRole('button', { name: 'Restore this revision' }).click();
    const preview = page.getByRole('alert').filter({ hasText: 'on the menu now: 7 items changed.' });
    const soupRestored = preview.getByRole('listitem').filter({ hasText: 'soup' });
    expect(await soupRestored.locator('del, ins').allTextContents()).toEqual(['6.00', '5.50', 'no', 'yes']);
    // Someone else is faster: nothing is restored.
    await postMenu(store, [], 20);
    await page.getByRole('button', { name: 'Yes, restore it' }).click();
    await notice(page, 'Someone else has just changed the menu.').waitFor();
    await page.getByRole('button', { name: 'OK' }).click();
    await revisions.nth(2).getByRole('button', { name: 'Restore this revision' }).click();
    await page.getByRole('button', { name: 'Yes, restore it' }).click();
    await revisions.first().getByText('restored · demo').waitFor();
    const { body } = await site.graphql(
      'query ($id: ID!) { store(id: $id) { item(externalId: "soup") { price { amount } } } }',
      {
        id: store,
      },
    );
    expect(body.data.store.item.price.amount).toBe(550);
  });

  test('the history names the dish, goes back beyond its first page, and hides what was sold out', async () => {
    const store = await createStore();
    for (let count = 0; count < 32; count++) {
      const soup = `items: [{ externalId: "soup", inStock: ${count % 2 === 1} }]`;
      await site.graphql(`mutation ($id: ID!) { setStock(input: { storeId: $id, ${soup} }) { store { id } } }`, {
        id: store,
      });
    }
    await site.orm.em
      .fork()
      .execute(
        "update menu_history set created_at = created_at - interval '1 day' where store_id = ? and source = 'POST'",
        [store],
      );
    await site.orm.em
      .fork()
      .execute("update menu_item set price = 1145 where store_id = ? and external_id = 'burger'", [store]);
    const page = await open(`/console?store=${store}&view=history`);
    const revisions = page.locator('.revisions > li');
    expect(await revisions.first().innerText()).toMatch(/^burger price 10.00 → 11.45\s+current/);
    expect(await revisions.nth(1).innerText()).toMatch(/^soup back in stock/);
    for (const count of [20, 34]) {
      await expect.poll(() => revisions.count()).toBe(count);
      await revisions
        .nth(count - 5)
        .getByRole('button')
        .click();
      await revisions
        .nth(count - 5)
        .getByRole('listitem')
        .filter({ hasText: 'soup' })
        .locator('ins')
        .waitFor();
      if (count === 20) await page.getByRole('button', { name: 'Show more' }).click();
    }
    const last = page.getByRole('region', { name: 'Yesterday' }).locator('.revisions > li');
    await last.getByRole('button').click();
    await last.getByText('The history has nothing before this revision.').waitFor();
    await page.getByRole('switch', { name: 'Stock changes' }).click();
    await page.getByText('2 revisions').waitFor();
    await expect.poll(() => revisions.count()).toBe(2);
  });

  test('fits a phone and a tablet, with one column or three', async () => {
    const store = await createStore();
    await placeFor(store, 'Maximiliane-Charlotte von Württemberg-Hohenzollern');
    const page = await open(`/console?store=${store}`);
    await page.setViewportSize({ width: 390, height: 844 });
    await card(page, 'Maximiliane').waitFor();
    const width = () => page.evaluate('document.documentElement.scrollWidth');
    expect(await width()).toBe(390);
    expect((await boxOf(card(page, 'Maximiliane'))).y).toBeLessThan(844 / 3);
    const words = await page.evaluate<string[][]>(`[...document.querySelectorAll('.bar nav a')].map(link => {
      const range = document.createRange();
      range.selectNode([...link.childNodes].find(node => node.nodeType === 3 && node.data.trim()));
      return [...new Set([...range.getClientRects()].map(line => line.top))];
    })`);
    expect(words.map(lines => lines.length)).toEqual([1, 1, 1, 1, 1]);
    expect(await column(page, 'Ready').isVisible()).toBe(false);
    await page.getByRole('button', { name: /^Done/ }).click();
    await page.locator('.column.done').waitFor();
    expect(await card(page, 'Maximiliane').isVisible()).toBe(false);
    await open(`/console?store=${store}&view=history`);
    await page.getByText('1 revision', { exact: true }).waitFor();
    const current = await boxOf(page.locator('.bar nav [aria-current]').filter({ hasText: 'History' }));
    const shown = await boxOf(page.getByRole('navigation', { name: 'Views' }));
    expect(current.x + current.width).toBeLessThanOrEqual(shown.x + shown.width);
    const upload = await boxOf(page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Upload' }));
    expect(upload.x + upload.width).toBeLessThanOrEqual(current.x);
    await open(`/console?store=${store}`);
    await page.setViewportSize({ width: 720, height: 1180 });
    const rowsOfWords = await card(page, 'Maximiliane')
      .locator('.card-main strong bdi')
      .evaluate(element => {
        const text = element.firstChild?.nextSibling ?? element.firstChild;
        if (!(text instanceof Text)) throw new Error('There is no name');
        return [...text.data.matchAll(/\p{L}+/gu)].map(({ 0: word, index }) => {
          const range = document.createRange();
          range.setStart(text, index);
          range.setEnd(text, index + word.length);
          return new Set([...range.getClientRects()].map(({ top }) => top)).size;
        });
      });
    expect(rowsOfWords).toEqual([1, 1, 1, 1, 1]);
    await page.setViewportSize({ width: 820, height: 1180 });
    await card(page, 'Maximiliane').click();
    expect(await width()).toBe(820);
    // Beside the details, columns are narrower, and tickets with them.
    await page.setViewportSize({ width: 1280, height: 720 });
    const [ticket, ofColumn] = [await boxOf(card(page, 'Maximiliane')), await boxOf(column(page, 'New'))];
    expect(ticket.x + ticket.width).toBeLessThanOrEqual(ofColumn.x + ofColumn.width);
  });

  test('an operator reads of a cache at the edge that confirms no purges, without its token', async () => {
    const url = 'http://varnish-1:6081/?token=private';
    const em = site.orm.em.fork();
    await em.execute(`insert into edge_cache (url, position, repeated, claimed_until, failing_since, failure)
      values ('${url}', 0, 0, now() + interval '1 hour', now(), 'the response has status 403')`);
    onTestFinished(async () => void (await em.execute(`delete from edge_cache where url = '${url}'`)));
    const text =
      /^The cache varnish-1:6081 has confirmed no purge since .* \(the response has status 403\): guests may see old prices/;
    await notice(await site.open('/console', { key: operatorKey }), text).waitFor();
    const page = await site.open('/console');
    await views(page);
    expect(await notice(page, text).count()).toBe(0);
  });

  test('pauses a store and opens it again, and shows what someone else has set', async () => {
    const id = await createStore();
    const page = await open(`/console?store=${id}`);
    const state = page.getByRole('button', { name: /^Orders: / });
    const dialog = page.getByRole('dialog');
    const save = () => dialog.getByRole('button', { name: 'Save' }).click();
    const stateOf = async () => {
      const { body } = await site.graphql('query ($id: ID!) { store(id: $id) { ordering { state } } }', { id });
      return body.data.store.ordering.state;
    };
    await state.click();
    await dialog.waitFor();
    await page.keyboard.press('ArrowDown');
    await dialog.getByLabel('Later by, in minutes').fill('2000');
    await save();
    const needed = 'a store that is BUSY needs a delay of 1 to 1440 minutes, not 2000';
    await dialog.getByRole('alert').getByText(needed, { exact: true }).waitFor();
    expect(await stateOf()).toBe('OPEN');
    await dialog.getByLabel('Paused').check();
    await dialog.getByLabel('How long').selectOption('for 1 h');
    await dialog.getByLabel('Reason, for guests').fill('rain');
    await dialog.getByLabel('Minutes until an order is ready').fill('25');
    expect(await seriousViolations(page, { within: dialog })).toEqual([]);
    await save();
    const paused = /Paused until .*\d\d:\d\d \(rain\)/;
    await state.getByText(paused).waitFor();
    await expect.poll(stateOf).toBe('PAUSED');
    for (const view of ['Stock', 'Menu', 'Upload', 'History']) {
      await viewsOf(page).filter({ hasText: view }).click();
      await page.getByRole('heading', { name: 'Baixa' }).waitFor();
      await state.getByText(paused).waitFor();
    }
    await page.getByRole('link', { name: 'Stores' }).click();
    await page.getByRole('searchbox').fill(id);
    const listed = page.getByRole('listitem').filter({ hasText: id });
    await listed.getByText(paused).waitFor();
    expect(await seriousViolations(page, { ...light, within: listed })).toEqual([]);
    const viewer = await openOther(`/menu?store=${id}`);
    await viewer.getByText(/^This store takes no orders until .*\d\d:\d\d\.$/).waitFor();
    await listed.getByRole('link').click();
    await state.click();
    await expect.poll(() => dialog.getByLabel('Minutes until an order is ready').inputValue()).toBe('25');
    await dialog.getByLabel('Open', { exact: true }).check();
    await save();
    await page.locator('.ordering.open').waitFor();
    await expect.poll(stateOf).toBe('OPEN');
    const busy =
      'mutation ($id: ID!) { setStoreOrdering(input: { storeId: $id, state: BUSY, delayMinutes: 20, reason: "rain" }) { store { id } } }';
    // Nothing is polled.
    const release = await hold(page, 'StoreOrdering');
    await site.graphql(busy, { id });
    await page.locator('.ordering.busy', { hasText: 'Busy, 20 min later (rain)' }).waitFor();
    await release();
    const reader = await open(`/console?store=${id}`, await site.newKey({ storeIds: [id], permissions: [] }));
    await reader.getByRole('status').filter({ hasText: 'Busy, 20 min later (rain)' }).waitFor();
  });
});
