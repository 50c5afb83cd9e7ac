import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { describeInBrowser, openSite, seriousViolations } from '../support/browser.ts';

const site = await openSite();

async function authorize(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Authorize' }).click();
  const dialog = page.locator('.auth-container');
  await dialog.getByRole('textbox').fill(site.key);
  await dialog.getByRole('button', { name: 'Apply credentials' }).click();
  await dialog.getByRole('button', { name: 'Close' }).click();
}

/** Opens the form of a route. */
async function tryOut(page: Page, id: string): Promise<Locator> {
  const route = page.locator(`.opblock[id$="-${id}"]`);
  await route.locator('.opblock-summary').click();
  await route.getByRole('button', { name: 'Try it out' }).click();
  return route;
}

async function statusOf(route: Locator): Promise<string> {
  await route.getByRole('button', { name: 'Execute' }).click();
  return route.locator('.live-responses-table .response-col_status').nth(1).innerText();
}

describeInBrowser('/docs', () => {
  const load = site.share();
  let loaded: Promise<Page> | undefined;
  /** Swagger UI takes seconds to load, so the tests use the same page, each with routes of its own. */
  const open = () => (loaded ??= load('/docs'));

  test('opens a route by keyboard, and has no serious accessibility violation, light or dark, except for what Swagger UI is built of', async () => {
    const page = await open();
    const route = page.locator('.opblock[id$="-listOrders"]');
    await route.locator('.opblock-summary-control').focus();
    await page.keyboard.press('Enter');
    await route.getByRole('button', { name: 'Try it out' }).waitFor();
    const except = ['nested-interactive', 'scrollable-region-focusable', 'select-name'];
    expect(await seriousViolations(page, { except })).toEqual([]);
  });

  test('calls routes: 401 without a key; with one it gets a store, and posts the example of a menu as it is', async () => {
    const page = await open();
    expect(await statusOf(await tryOut(page, 'listMerchants'))).toMatch(/^401/);
    await authorize(page);
    const store = await tryOut(page, 'getStore');
    await store.getByPlaceholder('store_service_id').fill('lisbon-baixa');
    expect(await statusOf(store)).toMatch(/^200/);
    await store.locator('.live-responses-table').getByText('Dona Gaivota Lisboa').waitFor();
    const menu = await tryOut(page, 'createMenuConfiguration');
    await menu.getByPlaceholder('store_service_id').fill('brooklyn-dumbo');
    expect(await statusOf(menu)).toMatch(/^200/);
  });
});
