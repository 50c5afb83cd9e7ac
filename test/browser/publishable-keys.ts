import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FrameLocator, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { issueKey, revokeKey, rotateKey } from '../../src/auth/keys.ts';
import { describeInBrowser } from '../support/browser.ts';
import { operatorFork } from '../support/data.ts';
import { openExample } from './example.ts';
import { site } from './site.ts';

const open = site.share();
const { dist, build, read, serve } = openExample('browser-menu');
const keys = new Map<string, string>();
const serveMenu = () =>
  serve((path, origin) =>
    path === '/sandbox.html'
      ? '<iframe sandbox="allow-scripts" src="plain.html"></iframe>'
      : read(path, keys.get(origin) ?? ''),
  );

const [shop, foreign] = [await serveMenu(), await serveMenu()];
const issue = async (origin: string) => {
  const request = { name: 'page', all: false, merchantIds: [], storeIds: ['lisbon-baixa'], permissions: [] };
  const issued = await issueKey(operatorFork(site.orm), { ...request, publishable: true, origins: [origin] });
  keys.set(origin, issued.key);
  return issued;
};

type View = Pick<Page | FrameLocator, 'getByRole' | 'locator'>;
const heading = (view: View) => view.getByRole('heading', { name: 'Breakfast' }).waitFor();
const item = (view: View) =>
  view
    .locator('p', { hasText: /^Bica €1\.10$/ })
    .first()
    .waitFor();
const status = (view: View, text: RegExp) => view.getByRole('status').filter({ hasText: text }).waitFor();
const refused = /^The menu cannot be loaded: .*Failed to fetch$/;

describeInBrowser('A page of another origin', () => {
  beforeAll(build);

  test.each(['plain', 'apollo', 'urql'])(
    'shows a menu by %s, and learns that its key was rotated or revoked',
    async name => {
      const { id } = await issue(shop);
      const page = await open(`${shop}/${name}.html`);
      await heading(page);
      await item(page);
      const refresh = page.getByRole('button', { name: 'Refresh' });

      const rotated = await rotateKey(operatorFork(site.orm), id);
      await refresh.click();
      await status(
        page,
        /^The menu cannot be loaded: .*The API key in the parameter key is not known, or no longer valid\.$/,
      );
      keys.set(shop, rotated?.key ?? '');
      await page.reload();
      await item(page);

      await revokeKey(operatorFork(site.orm), id);
      await refresh.click();
      await status(page, refused);
    },
  );

  test('sends the headers of clients, and reads those of the response', async () => {
    const { id } = await issue(shop);
    const page = await site.open(`${shop}/plain.html`);
    await item(page);
    const headers = {
      ...{ 'content-type': 'application/json', 'x-api-key': keys.get(shop) ?? '', 'x-carte-cost': 'header' },
      ...{ 'idempotency-key': 'a', 'apollographql-client-name': 'page', 'apollographql-client-version': '1' },
    };
    const request = { method: 'POST', headers, body: JSON.stringify({ query: '{ stores { totalCount } }' }) };
    const call = `fetch('${site.url}/graphql', ${JSON.stringify(request)}).then(response => response.headers.get('x-carte-cost'))`;
    expect(Number(await page.evaluate(call))).toBeGreaterThan(0);
    await revokeKey(operatorFork(site.orm), id);
  });

  test('shows nothing with the key of a page of another origin', async () => {
    await issue(foreign);
    const { id } = await issue(shop);
    keys.set(foreign, keys.get(shop) ?? '');
    const page = await open(`${foreign}/plain.html`);
    await status(page, refused);
    expect(await page.locator('main').innerText()).toBe('');
    await revokeKey(operatorFork(site.orm), id);
  });

  test('shows nothing from a file or in a sandbox, whose origin is null', async () => {
    site.origins.add('null');
    const { key } = await issue(shop);
    const file = join(dist, 'file.html');
    writeFileSync(file, read('plain.html', key));
    await status(await open(`file://${file}`), refused);
    const page = await open(`${shop}/sandbox.html`);
    await status(page.frameLocator('iframe'), refused);
  });
});

describeInBrowser('/menu/{store}?key=', () => {
  test('shows the menu to guests, with a publishable key alone', async () => {
    const { id, key } = await issue('https://elsewhere.example');
    const page = await open(`/menu/lisbon-baixa?key=${key}&at=any`);
    expect(await page.locator('.head').isVisible()).toBe(false);
    await status(page, /Dona Gaivota Lisbon/);
    const dish = page.locator('.item', { has: page.getByRole('heading', { name: 'Galão' }) }).first();
    await dish.locator('summary').click();
    await dish.locator('.group').first().waitFor();
    expect(await page.locator('.key-form').innerText()).toBe('');
    expect(await page.locator('#diagnostics').innerText()).toBe('');
    expect(new URL(page.url()).searchParams.get('key')).toBe(key);
    expect(await page.evaluate('sessionStorage.length')).toBe(0);

    await revokeKey(operatorFork(site.orm), id);
    await page.reload();
    await status(page, /^This key is not known, or no longer valid\./);
  });

  test('neither uses nor keeps a secret key', async () => {
    const page = await open(`/menu/lisbon-baixa?key=${site.key}`);
    await status(page, /^Menus need a key/);
    expect(page.url()).not.toContain(site.key);
  });
});
