import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { describeInBrowser, seriousViolations } from '../support/browser.ts';
import { site } from './site.ts';

const run = promisify(execFile);
const open = site.share({ permissions: ['clipboard-read', 'clipboard-write'] });
const openWithoutJavaScript = site.share({ javaScriptEnabled: false });

describeInBrowser('/', () => {
  let loaded: Promise<Page> | undefined;
  /** Loaded once for the tests that do not mind what those before them did in it; those that load pages come after them. */
  const home = () => (loaded ??= open('/'));

  test('shows the version, and that the database is ready', async () => {
    const page = await home();
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    await page.getByText('ready', { exact: true }).waitFor();
    expect(await page.locator('.facts').innerText()).toContain(version);
  });

  test('has no broken link', async () => {
    const page = await home();
    const links = await page.locator('a').evaluateAll(all => all.map(link => link.getAttribute('href') ?? ''));
    expect(links).toEqual([
      '#content',
      './',
      'console',
      'menu',
      'graphql',
      'docs',
      'guides',
      'menu',
      'console',
      'graphql',
      'docs/graph',
      'docs',
      'guides/pos',
      'guides/front-end',
      'guides/webhooks-and-events',
      'guides/interface',
      'guides/operating',
      'guides/scaling-and-failover',
      'openapi.json',
      'openapi-3.0.json',
      'schema.graphql',
      'metrics',
      'health/live',
      'health/ready',
    ]);
    for (const link of links) expect((await site.get(`/${link}`, { accept: 'text/html' })).status).toBe(200);
  });

  test('can be used by keyboard', async () => {
    const page = await home();
    const focused: string[] = [];
    for (let press = 0; press < 14; press += 1) {
      await page.keyboard.press('Tab');
      focused.push(await page.evaluate<string>('document.activeElement.innerText || document.activeElement.id'));
    }
    expect(focused.map(text => text.trim().split('\n')[0])).toEqual([
      'Skip to the content',
      'Carte',
      'Console',
      'Menu',
      'Playground',
      'Reference',
      'Guides',
      'Search',
      'key',
      'Show',
      'Forget the key',
      'Open the console',
      'Open the playground',
      'Types and fields',
    ]);
  });

  test('has no serious accessibility violation, light or dark', async () => {
    const page = await home();
    await page.getByText('ready', { exact: true }).waitFor();
    expect(await seriousViolations(page)).toEqual([]);
  });

  test('hides the key in the examples as in the field, until it is shown', async () => {
    const page = await home();
    const field = page.getByLabel('Your key');
    await field.fill(site.key);
    expect(await field.getAttribute('type')).toBe('password');
    expect(await page.locator('body').innerText()).not.toContain(site.key);
    await page.getByRole('button', { name: 'Show' }).click();
    expect(await field.getAttribute('type')).toBe('text');
    expect(await page.locator('pre').first().innerText()).toContain(site.key);
  });

  test('its examples work as they are copied, with the key that was typed in', async context => {
    const curl = await run('curl', ['--version']).catch(() => undefined);
    if (!curl) return context.skip('curl is not installed');
    const page = await home();
    await page.getByLabel('Your key').fill(site.key);
    const buttons = await page.locator('figure').getByRole('button').all();
    expect(buttons).toHaveLength(3);
    const bodies: unknown[] = [];
    for (const button of buttons) {
      await button.click();
      const command = await page.evaluate<string>('navigator.clipboard.readText()');
      bodies.push(JSON.parse((await run('bash', ['-c', command])).stdout));
    }
    expect(bodies).toMatchObject([
      { data: { store: { items: expect.arrayContaining([{ name: { text: 'Bica' }, price: { decimal: '1.10' } }]) } } },
      { id: 'lisbon-baixa' },
      { result_code: '000000', page_size: 5 },
    ]);
  });

  test('forgets the key, and the copies that earlier versions have stored', async () => {
    const page = await home();
    const tabs = JSON.stringify({ tabs: [{ query: '{ a }', headers: `{"x-api-key":"${site.key}"}` }] });
    await page.evaluate(
      `for (const name of ['authorized', 'graphiql:headers', 'graphiql:tabState']) localStorage.setItem(name, ${JSON.stringify(tabs)})`,
    );
    await page.getByLabel('Your key').fill(site.key);
    await page.getByRole('button', { name: 'Forget the key' }).click();
    expect(await page.getByLabel('Your key').inputValue()).toBe('');
    expect(await page.evaluate('sessionStorage.getItem("carte.key")')).toBeNull();
    expect(await page.evaluate('JSON.parse(JSON.stringify(localStorage))')).toEqual({
      'graphiql:tabState': '{"tabs":[{"query":"{ a }","headers":null}]}',
    });
  });

  test('the link of the first start leads to a placed and accepted order in three more clicks and no key, and leaves no key in the address', async () => {
    const page = await site.open(`/#key=${site.key}`);
    await page.getByRole('button', { name: 'Place a test order' }).click();
    expect(page.url()).toBe(`${site.url}/`);
    expect(await page.evaluate('sessionStorage.getItem("carte.key")')).toBe(site.key);
    const link = page.getByRole('link', { name: 'Accept it in the console' });
    await link.waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await link.click();
    await page
      .locator('.detail')
      .getByRole('button', { name: /^Accept/ })
      .first()
      .click();
    const id = new URL(page.url()).searchParams.get('order');
    const status = async () =>
      (await site.graphql('query ($id: ID!) { order(id: $id) { status } }', { id })).body.data.order.status;
    await expect.poll(status, { timeout: 30_000 }).toBe('ACCEPTED');
    await page.goto(`${site.url}/#key=carte_another`);
    expect(await page.evaluate('sessionStorage.getItem("carte.key")')).toBe(site.key);
  });

  test('shows why a database is not ready', async () => {
    const em = site.orm.em.fork();
    await em.execute("update migration set name = 'past ' || name");
    onTestFinished(async () => void (await em.execute('update migration set name = substr(name, 6)')));
    const page = await open('/');
    await page.getByRole('status').getByText('not ready: the database is not migrated').waitFor();
  });

  test.each(['/console', '/graphql', '/menu'])('%s says that it needs JavaScript, and leads home', async path => {
    const page = await openWithoutJavaScript(path);
    const text = await page.locator('body').innerText();
    expect([text.includes('needs JavaScript'), text.includes('Loading')]).toEqual([true, false]);
    await page.getByRole('banner').getByRole('link', { name: 'Carte', exact: true }).click();
    await page.getByRole('heading', { name: 'Restaurant', exact: true }).waitFor();
  });
});

describeInBrowser('the head', () => {
  async function expectHead(page: Page): Promise<void> {
    const names = await page.getByRole('navigation', { name: 'Pages' }).getByRole('link').allInnerTexts();
    expect(names).toEqual(['Console', 'Menu', 'Playground', 'Reference', 'Guides']);
    expect(
      await page
        .locator('html')
        .evaluate(root => getComputedStyle(root.ownerDocument.querySelector('.head') ?? root).fontFamily),
    ).toMatch(/^Figtree/);
    const field = page.getByRole('combobox', { name: 'Search all of Carte' });
    await page.keyboard.press('Control+k');
    await field.waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('banner').getByRole('button', { name: 'Search' }).click();
    await field.waitFor();
    await page.keyboard.press('Escape');
  }

  // Those of the others are in the tests of first visits.
  test.each(['/', '/guides/pos', '/menu'])('%s has its navigation and search', async path => {
    await expectHead(await open(path, site.key));
  });

  test('the search finds routes, types and fields, guides and stores, by keyboard', async () => {
    const page = await open('/', site.key);
    await page.keyboard.press('Control+k');
    const first = page.getByRole('option').first();
    for (const [words, found, url] of [
      [
        'stores orders get',
        /^GET \/v1\/stores\/\{store_service_id\}\/orders\/.*Route/s,
        'docs#tag/orders/GET/v1/stores/{store_service_id}/orders/',
      ],
      ['placeorderinput', /^PlaceOrderInput.*Type/s, 'docs/graph/PlaceOrderInput'],
      ['placeorder', /^Mutation\.placeOrder.*Field/s, 'docs/graph/Mutation#placeOrder'],
      ['lisbon gaivota', /^Dona Gaivota Lisbon.*Store/s, 'console?store=lisbon-baixa'],
      ['polling orders', /^POS integration: Polling orders.*Guide/s, 'guides/pos#polling-orders'],
    ] as const) {
      await page.getByRole('combobox').fill(words);
      await first.filter({ hasText: found }).waitFor();
      expect(await first.getAttribute('href')).toBe(`${site.url}/${url}`);
    }
    expect(await seriousViolations(page, { within: page.getByRole('dialog') })).toEqual([]);
    await page.getByRole('combobox').fill('placeorder');
    await first.filter({ hasText: 'Mutation.placeOrder' }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`${site.url}/docs/graph/Mutation#placeOrder`);
  });

  test('on a phone, the navigation opens without JavaScript', async () => {
    const page = await site.open('/guides', { javaScriptEnabled: false, viewport: { width: 390, height: 844 } });
    const link = page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Reference' });
    expect(await link.isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Pages' }).click();
    await link.click();
    await page.waitForURL(`${site.url}/docs`);
  });

  test.each([
    ['/docs', 40_000],
    // With the letters of names such as Łukasz, which some days of the demo have among their orders.
    ['/console?store=lisbon-baixa', 93_000],
    // Of which GraphiQL's editor takes more than half (decision 13).
    ['/graphql', 900_000],
  ])('%s has its navigation and search, and the first visit loads at most %d bytes', async (path, limit) => {
    const page = await site.open('/web/icon.svg', { key: site.key });
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('Network.enable');
    let bytes = 0;
    const names = new Map<string, string>();
    const loads: string[] = [];
    devtools.on('Network.requestWillBeSent', ({ requestId, request: { url, postData = '' } }) => {
      names.set(requestId, `${url} ${postData.slice(0, 40)}`);
    });
    devtools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      bytes += encodedDataLength;
      loads.push(`${encodedDataLength} ${names.get(requestId)}`);
    });
    await page.goto(`${site.url}${path}`);
    if (path === '/graphql') await page.locator('.monaco-editor .view-line').first().waitFor();
    else if (path.startsWith('/console')) await page.getByText('Live', { exact: true }).waitFor();
    else await page.waitForLoadState('networkidle');
    await page.evaluate('document.fonts.ready');
    expect(bytes, loads.join('\n')).toBeLessThanOrEqual(limit);
    // Nothing was left out.
    expect(bytes).toBeGreaterThan(limit / 3);
    await expectHead(page);
  });
});

describeInBrowser('/guides', () => {
  test('the examples of a guide have the address of this server, and the key of the tab when they are copied', async () => {
    const page = await open('/guides/menu-history', site.key);
    const example = page.locator('.example', { hasText: 'curl' });
    expect(await example.innerText()).toContain(`curl ${site.url}/graphql -H 'x-api-key: •`);
    expect(await page.content()).not.toContain(site.key);
    const colorOf = (text: string) =>
      page
        .locator('pre span', { hasText: text })
        .first()
        .evaluate(span => getComputedStyle(span).color);
    expect(new Set(await Promise.all(['query', '$store', '10'].map(colorOf))).size).toBe(3);
    await example.getByRole('button', { name: 'Copy' }).click();
    const command = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(command).toContain(`curl ${site.url}/graphql -H 'x-api-key: ${site.key}'`);
    expect(await seriousViolations(page)).toEqual([]);
  });

  test('the search finds sections of all guides, and leads to them by keyboard', async () => {
    const page = await open('/guides/decisions/0012-rest-reference');
    await page.keyboard.press('/');
    const field = page.getByRole('combobox', { name: 'Search all of Carte' });
    await field.waitFor();
    await page.keyboard.insertText('no-such-word');
    await page.getByRole('status').getByText('Nothing found').waitFor();
    await field.fill('POLLING ord');
    await page.getByRole('option', { name: /^POS integration: Polling orders/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`${site.url}/guides/pos#polling-orders`);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    await page.goto(`${site.url}/guides/console`);
    await page.locator('main img').evaluate((image: HTMLImageElement) => image.decode());
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    await page.setViewportSize({ width: 1280, height: 720 });
  });

  test('can be read without JavaScript, from the list to a guide and from there to another', async () => {
    const page = await openWithoutJavaScript('/guides');
    await page.getByRole('link', { name: 'Architecture' }).click();
    await page.getByRole('main').getByRole('link', { name: 'glossary' }).click();
    await page.getByRole('main').getByRole('link', { name: 'Decision 5' }).first().click();
    await page.getByRole('navigation').getByRole('link', { name: 'Scaling' }).click();
    await page.getByRole('heading', { name: 'Scaling', level: 1 }).waitFor();
  });

  test('an address that does not exist leads back', async () => {
    const page = await openWithoutJavaScript('/guides/no/such <guide>?x=1');
    expect(await page.getByRole('main').innerText()).toContain('There is no page at /guides/no/such%20%3Cguide%3E.');
    await page.getByRole('link', { name: 'Start page' }).click();
    await page.getByRole('heading', { name: 'Restaurant', exact: true }).waitFor();
  });
});
