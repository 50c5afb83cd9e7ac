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

/** Opens a route to be tried. */
async function tryOut(page: Page, id: string): Promise<Locator> {
  const route = page.locator(`.opblock[id$="-${id}"]`);
  await route.locator('.opblock-summary').click();
  await route.getByRole('button', { name: 'Try it out' }).click();
  return route;
}

async function answerOf(route: Locator): Promise<string> {
  await route.getByRole('button', { name: 'Execute' }).click();
  return route.locator('.live-responses-table .response-col_status').nth(1).innerText();
}

describeInBrowser('/docs', () => {
  test('takes a key and tries a route', async () => {
    const page = await site.open('/docs');
    await authorize(page);
    const route = await tryOut(page, 'getStore');
    await route.getByPlaceholder('store_service_id').fill('lisbon-baixa');
    expect(await answerOf(route)).toMatch(/^200/);
    await route.locator('.live-responses-table').getByText('Dona Gaivota Lisboa').waitFor();
  });

  test('says that a key is needed', async () => {
    const page = await site.open('/docs');
    const route = await tryOut(page, 'listMerchants');
    expect(await answerOf(route)).toMatch(/^401/);
  });

  test('the menu that it gives as an example can be posted as it stands', async () => {
    const page = await site.open('/docs');
    await authorize(page);
    const route = await tryOut(page, 'createMenuConfiguration');
    await route.getByPlaceholder('store_service_id').fill('brooklyn-dumbo');
    expect(await answerOf(route)).toMatch(/^200/);
  });

  test('a route can be opened by keyboard', async () => {
    const page = await site.open('/docs');
    const route = page.locator('.opblock[id$="-getStore"]');
    await route.locator('.opblock-summary-control').focus();
    await page.keyboard.press('Enter');
    await route.getByRole('button', { name: 'Try it out' }).waitFor();
  });

  test('has no serious error of accessibility, light or dark, but for what Swagger UI is built of', async () => {
    const page = await site.open('/docs');
    await page.locator('.opblock[id$="-listOrders"] .opblock-summary').click();
    await page.getByRole('button', { name: 'Try it out' }).waitFor();
    const except = ['nested-interactive', 'scrollable-region-focusable', 'select-name'];
    expect(await seriousViolations(page, { except })).toEqual([]);
  });
});
