import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { version } from '../../src/version.ts';
import { describeInBrowser, seriousViolations } from '../support/browser.ts';
import { site } from './site.ts';

const open = site.share({ key: site.key });

describeInBrowser('/docs', () => {
  test('shows routes, samples with the key of the tab, and that the POST replaces, without a serious violation', async () => {
    const page = await open('/docs');
    await page.getByText(`REST reference ${version}`, { exact: true }).waitFor();
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
    expect(await page.evaluate('typeof Scalar')).toBe('undefined');
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
    expect(heading?.y).toBeGreaterThan(48);
    expect(heading?.y).toBeLessThan(900);
    await page.getByText('GET /v1/merchants/{merchant_service_id}').waitFor();
  });

  test('passes a key that is entered on to the other pages, and removes the one that Swagger UI has stored', async () => {
    const page = await open('/web/icon.svg');
    await page.evaluate(`localStorage.setItem('authorized', 'as Swagger UI has stored it')`);
    await page.goto(`${site.url}/docs`);
    await page.getByLabel('Your key').fill('carte_another');
    expect(await page.evaluate('localStorage.getItem("authorized")')).toBeNull();
    await page.getByRole('link', { name: 'Carte', exact: true }).first().click();
    await expect.poll(() => page.getByLabel('Your key').inputValue()).toBe('carte_another');
  });
});

describeInBrowser('/docs/try', () => {
  let loaded: Promise<Page> | undefined;
  /** The client takes seconds to load, so the tests use the same page, one after the other. */
  const openTry = () => (loaded ??= load());

  async function load(): Promise<Page> {
    const page = await open('/docs');
    const store = page.locator('[id="tag/stores/GET/v1/stores/{store_service_id}"]');
    await store.getByRole('link', { name: 'Try it' }).click();
    await page.getByRole('dialog').waitFor({ timeout: 80_000 });
    return page;
  }

  /** Sends the request of the client that is open as it is, or for a store, and returns the status that is shown. */
  async function send(page: Page, store?: string): Promise<string> {
    const client = page.getByRole('dialog');
    if (store) await client.getByRole('combobox', { name: 'Value', exact: true }).first().fill(store);
    await client.getByRole('button', { name: /^Send \w+ request/ }).click();
    const status = await client.getByText(/^\d{3} /).innerText();
    await page.keyboard.press('Escape');
    await client.waitFor({ state: 'hidden' });
    return status;
  }

  /** Opens the client of another route. */
  async function openClient(page: Page, route: string): Promise<void> {
    await page.locator('aside').first().getByText(route, { exact: true }).click();
    const section = page.getByRole('region', { name: route, exact: true });
    await section.getByRole('button', { name: /^Test Request/ }).click();
  }

  test('opens with the route, the key of the tab and identifiers of its scope, and stores the key nowhere else', async () => {
    const page = await openTry();
    expect(await send(page)).toBe('200 OK');
    await openClient(page, 'Get order by identifier');
    expect(await send(page)).toBe('200 OK');
    await openClient(page, 'Create menu configuration (replaces all)');
    expect(await send(page, 'brooklyn-dumbo')).toBe('200 OK');
    expect(await page.evaluate<string>('JSON.stringify(localStorage) + document.cookie')).not.toContain(site.key);
  });

  test('has no serious accessibility violation', async () => {
    expect(await seriousViolations(await openTry(), { schemes: ['dark'] })).toEqual([]);
  });

  test('passes a key that is entered on to the reference', async () => {
    const page = await openTry();
    await page.getByLabel('Your key').first().fill('carte_another');
    await page.getByRole('link', { name: 'REST reference', exact: true }).click();
    await expect.poll(() => page.getByLabel('Your key').inputValue()).toBe('carte_another');
  });
});
