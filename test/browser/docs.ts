import { expect, test } from 'vitest';
import { version } from '../../src/version.ts';
import { describeInBrowser, seriousViolations } from '../support/browser.ts';
import { site } from './site.ts';

const open = site.share({ key: site.key });

describeInBrowser('/docs', () => {
  test('shows routes, samples with the key of the tab, and that the POST replaces, without a serious violation', async () => {
    const page = await open('/docs');
    await page.getByText(`REST reference ${version}`).waitFor();
    await page.getByRole('heading', { name: 'Create menu configuration (replaces all)' }).waitFor();
    const store = page.locator('[id="tag/stores/GET/v1/stores/{store_service_id}"]');
    expect(await store.textContent()).toContain(`curl '${site.url}/v1/stores/lisbon-baixa'`);
    expect(await store.textContent()).toContain('"Dona Gaivota Lisboa"');
    expect(await page.content()).not.toContain(site.key);
    expect(await page.locator('pre').allTextContents().then(String)).not.toMatch(
      /9007199254740991|additionalProp|"string"/,
    );
    expect(await seriousViolations(page)).toEqual([]);
    const link = await store.getByRole('link', { name: 'Open in playground' }).getAttribute('href');
    expect(new URLSearchParams(link?.replace('graphql#', '')).get('query')).toContain('query getStore(');
  });

  test('fits a phone, and its list of routes is a link away', async () => {
    const page = await open('/docs?set=pos');
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    await page.getByRole('link', { name: 'Routes', exact: true }).click();
    await page.getByRole('link', { name: 'Place an order POST' }).click();
    expect(new URL(page.url()).hash).toBe('#tag/orders/POST/pos/v1/stores/{store_service_id}/orders');
    await page.setViewportSize({ width: 1280, height: 720 });
  });

  test('can be read without JavaScript, and a link of its list leads to the operation', async () => {
    const page = await site.open('/docs', { javaScriptEnabled: false, viewport: { width: 1440, height: 900 } });
    await page.getByRole('link', { name: 'Get merchant GET', exact: true }).click();
    expect(new URL(page.url()).hash).toBe('#tag/merchants/GET/v1/merchants/{merchant_service_id}');
    const heading = await page.getByRole('heading', { name: /^Get merchant/ }).boundingBox();
    expect(heading?.y).toBeGreaterThanOrEqual(48);
    expect(heading?.y).toBeLessThan(900);
    await page.getByText('GET /v1/merchants/{merchant_service_id}').waitFor();
  });

  test('passes a key that is entered on to the other pages, and removes the one that Swagger UI has stored', async () => {
    const page = await open('/web/icon.svg');
    await page.evaluate(`localStorage.setItem('authorized', 'as Swagger UI has stored it')`);
    await page.goto(`${site.url}/docs`);
    await page.getByLabel('Your key').fill('carte_another');
    expect(await page.evaluate('localStorage.getItem("authorized")')).toBeNull();
    await page.getByRole('banner').getByRole('link', { name: 'Carte', exact: true }).click();
    await expect.poll(() => page.getByLabel('Your key').inputValue()).toBe('carte_another');
  });
});

describeInBrowser('“Try it” in /docs', () => {
  const section = async (id: string, set = '', key?: string) => {
    const page = await open(`/docs${set}`, key);
    const route = page.locator(`[id="${id}"]`);
    await route.getByRole('button', { name: 'Try it' }).click();
    await route.getByRole('button', { name: 'Send' }).waitFor();
    return { page, route, send: () => route.getByRole('button', { name: 'Send' }).click() };
  };

  test('sends a read as it is, with the key of the tab and identifiers of its scope, and stores the key nowhere else', async () => {
    const { page, route, send } = await section('tag/orders/GET/v1/orders/{order_service_id}');
    expect(await route.getByLabel('order_service_id').inputValue()).not.toBe('');
    await send();
    await route.getByText(/^200 OK, \d+ ms/).waitFor();
    expect(await route.locator('.try-form pre').innerText()).toContain('"result_code": "000000"');
    expect(await page.evaluate<string>('JSON.stringify(localStorage) + document.cookie')).not.toContain(site.key);
    // The rest of the page, which is long, is examined above.
    await route.evaluate(kept => {
      for (const other of document.querySelectorAll('main section'))
        if (!other.contains(kept) && !kept.contains(other)) other.remove();
    });
    expect(await seriousViolations(page)).toEqual([]);
    await route.getByRole('button', { name: 'Try it' }).click();
    await route.locator('.try-form').waitFor({ state: 'detached' });
  });

  test('a write names no store by itself; what is wrong stands at its field', async () => {
    const id = 'tag/menu/POST/v1/stores/{store_service_id}/menu_configuration/';
    const { page, route, send } = await section(id);
    const store = route.getByLabel('store_service_id');
    expect(await store.inputValue()).toBe('');
    await send();
    await route
      .locator('label', { has: page.getByLabel('store_service_id') })
      .getByText('This is needed.')
      .waitFor();
    await store.fill('brooklyn-dumbo');
    const body = route.getByLabel('body');
    const example = await body.inputValue();
    await body.fill('{');
    await send();
    await route.getByText(/^This is not JSON/).waitFor();
    await body.fill('{"menus": 1}');
    await send();
    await route.getByRole('status').getByText(/^422 /).waitFor();
    await route
      .locator('label', { has: page.getByLabel('body') })
      .getByText(/^menus: /)
      .waitFor();
    expect(await body.getAttribute('aria-invalid')).toBe('true');
    await body.fill(example);
    await send();
    await route
      .getByRole('status')
      .getByText(/^200 OK/)
      .waitFor();
    expect(await body.getAttribute('aria-invalid')).toBeNull();
  });

  test('asks for a key where there is none', async () => {
    const { page, route, send } = await section('tag/stores/GET/v1/stores/', '', '');
    await page.evaluate('sessionStorage.clear()');
    await send();
    await route.getByText('Enter your key at the top of the page first.').waitFor();
    expect(await page.evaluate('document.activeElement.id')).toBe('key');
  });
});

describeInBrowser('/docs/graph', () => {
  test('can be read without JavaScript, from the list to a field with its example and its type', async () => {
    const page = await site.open('/docs', { javaScriptEnabled: false });
    await page.getByRole('link', { name: 'Graph', exact: true }).click();
    await page.getByRole('main').getByRole('link', { name: 'placeOrder', exact: true }).click();
    expect(new URL(page.url()).hash).toBe('#placeOrder');
    const field = page.locator('#placeOrder');
    await field.getByText('Needs the permission ORDERS').waitFor();
    expect(await field.locator('pre').first().innerText()).toContain('mutation PlaceOrder($input: PlaceOrderInput!)');
    await field.getByRole('link', { name: 'PlaceOrderInput' }).first().click();
    await page.getByRole('heading', { name: 'PlaceOrderInput', level: 1 }).waitFor();
  });

  test('has no serious accessibility violation, and fits a phone', async () => {
    const page = await open('/docs/graph/Store');
    expect(await seriousViolations(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    await page.setViewportSize({ width: 1280, height: 720 });
  });
});
