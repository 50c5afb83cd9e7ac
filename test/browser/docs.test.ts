import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { version } from '../../src/version.ts';
import { describeInBrowser, openSite, seriousViolations } from '../support/browser.ts';

const site = await openSite();

describeInBrowser('/docs', () => {
  const share = site.share({ key: site.key });
  let loaded: Promise<Page> | undefined;
  /** The reference takes seconds to load, so the tests use the same page, one after the other. */
  const open = () => (loaded ??= load());

  async function load(): Promise<Page> {
    const page = await share('/web/icon.svg');
    await page.evaluate(`localStorage.setItem('authorized', 'as Swagger UI has stored it')`);
    await page.goto(`${site.url}/docs`);
    // Scalar replaces the outline, which has the same headings.
    await page.locator('#outline').waitFor({ state: 'detached' });
    return page;
  }

  /** Opens the client of a route, sends the request as it is, or for a store, and returns the status that is shown. */
  async function send(page: Page, route: string, store?: string): Promise<string> {
    await page.locator('aside').first().getByText(route, { exact: true }).click();
    const section = page.getByRole('region', { name: route, exact: true });
    await section.getByRole('button', { name: /^Test Request/ }).click();
    const client = page.getByRole('dialog');
    if (store) await client.getByRole('combobox', { name: 'Value', exact: true }).first().fill(store);
    await client.getByRole('button', { name: /^Send \w+ request/ }).click();
    const status = await client.getByText(/^\d{3} /).innerText();
    await page.keyboard.press('Escape');
    await client.waitFor({ state: 'hidden' });
    return status;
  }

  test('has no serious accessibility violation, light or dark', async () => {
    const page = await open();
    await page.getByRole('heading', { name: 'Create menu configuration (replaces all)' }).waitFor();
    expect(await seriousViolations(page)).toEqual([]);
  });

  test('can be read without JavaScript, and a link of its list leads to the operation', async () => {
    const page = await site.open('/docs', { javaScriptEnabled: false, viewport: { width: 1440, height: 900 } });
    await page.getByRole('link', { name: 'Get merchant GET', exact: true }).click();
    expect(new URL(page.url()).hash).toBe('#tag/merchants/GET/v1/merchants/{merchant_service_id}');
    const heading = await page.getByRole('heading', { name: 'Get merchant', exact: true }).boundingBox();
    expect(heading?.y).toBeGreaterThan(48);
    expect(heading?.y).toBeLessThan(900);
    await page.getByText('GET /v1/merchants/{merchant_service_id}').waitFor();
  });

  test('shows the version of Carte, real values in its samples, and that the POST replaces', async () => {
    const page = await open();
    await page.getByText(`v${version}`, { exact: true }).waitFor();
    await page.getByRole('heading', { name: 'Create menu configuration (replaces all)' }).waitFor();
    await page.locator('aside').first().getByText('Get store', { exact: true }).click();
    await page.getByText('"Dona Gaivota Lisboa"').first().waitFor();
    const links = page.getByRole('link', { name: 'Open in playground' });
    await links.first().waitFor();
    expect(decodeURIComponent((await links.first().getAttribute('href')) ?? '')).toContain('/graphql#query=');
    const samples = await page.locator('pre').allInnerTexts();
    expect(samples.length).toBeGreaterThan(3);
    expect(samples.join('\n')).not.toMatch(/9007199254740991|additionalProp|"string"/);
  });

  test('sends requests with the key of the tab and identifiers of its scope, and stores the key nowhere else', async () => {
    const page = await open();
    expect(await send(page, 'Get store')).toBe('200 OK');
    expect(await send(page, 'Get order by identifier')).toBe('200 OK');
    expect(await send(page, 'Create menu configuration (replaces all)', 'brooklyn-dumbo')).toBe('200 OK');
    expect(await page.evaluate<string>('JSON.stringify(localStorage) + document.cookie')).not.toContain(site.key);
  });

  test('passes a key that is entered on to the other pages, and removes the one that Swagger UI has stored', async () => {
    const page = await open();
    expect(await page.evaluate('localStorage.getItem("authorized")')).toBeNull();
    await page.getByLabel('Value').first().fill('carte_another');
    await page.getByRole('link', { name: 'Carte', exact: true }).first().click();
    await expect.poll(() => page.getByLabel('Your key').inputValue()).toBe('carte_another');
  });
});
