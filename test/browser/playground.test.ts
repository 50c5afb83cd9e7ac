import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { describeInBrowser, openSite, seriousViolations } from '../support/browser.ts';

const site = await openSite();

const emptyKey = (page: Page) =>
  page.getByRole('region', { name: 'Headers' }).locator('.view-line', { hasText: '"x-api-key": ""' });

/**
 * Opens a tab and types a key there. The editors show the text of another tab a frame later than the tabs do, and a response
 * may name x-api-key too: so the key is typed only once the headers of this tab are shown.
 */
async function typeKey(page: Page, tab: string, key: string): Promise<void> {
  await openTab(page, tab);
  await emptyKey(page).click();
  await page.keyboard.press('End');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.insertText(key);
  await emptyKey(page).waitFor({ state: 'detached' });
}

async function openTab(page: Page, tab: string): Promise<void> {
  await page.locator('.graphiql-tab-button', { hasText: tab }).click();
  await page.locator('.graphiql-tab-active', { hasText: tab }).waitFor();
}

const execute = (page: Page) => page.getByRole('button', { name: 'Execute query' }).click();
const resultContains = (page: Page, text: string) =>
  page.locator('.result-window .view-line', { hasText: text }).first().waitFor();

/** GraphiQL switches the operation a moment after it shows a tab, so the first press may still run another one. */
async function resultOf(page: Page, tab: string): Promise<() => Promise<string>> {
  await openTab(page, tab);
  return async () => {
    await execute(page);
    return page.locator('.result-window .view-lines').innerText();
  };
}

const polling = { timeout: 60_000, interval: 250 };
const except = ['nested-interactive'];

describeInBrowser('/graphql', () => {
  test('runs every prepared tab with the key that another page stored, is accessible in light mode, and fits a narrow screen', async () => {
    const page = await site.open('/graphql', { key: site.key });
    await page.locator('.graphiql-query-editor .view-line', { hasText: 'menuRevision' }).click();
    await page.keyboard.press('ControlOrMeta+Enter');
    await resultContains(page, 'Dona Gaivota Lisboa');
    expect(await seriousViolations(page, { schemes: ['light'], except })).toEqual([]);

    const results = {
      MenuOfAStore: '"Pequeno-almoço"',
      AvailableNow: '"timezone"',
      OrdersOfToday: '"ordersRevision"',
      Diagnostics: '"menuDiagnostics"',
      ReplaceMenus: '"CONFLICT"',
    };
    expect(await page.locator('.graphiql-tab').count()).toBe(Object.keys(results).length);
    for (const [tab, text] of Object.entries(results)) {
      await expect.poll(await resultOf(page, tab), polling).toContain(text);
    }

    await page.setViewportSize({ width: 390, height: 850 });
    const boxOf = (selector: string) => page.locator(selector).boundingBox();
    await expect.poll(async () => (await boxOf('.graphiql-query-editor'))?.width).toBeLessThan(390);
    const [query, result] = [await boxOf('.graphiql-query-editor'), await boxOf('.result-window')];
    expect(query?.width).toBeGreaterThan(250);
    expect(result?.width).toBeGreaterThan(250);
    expect(result?.y).toBeGreaterThan((query?.y ?? 0) + (query?.height ?? 0));
  });

  test('shows that a key is wrong; a right one serves its tab and the next; a reload, here in dark mode, restores them', async () => {
    const page = await site.open('/graphql');
    await typeKey(page, 'Diagnostics', 'carte_wrong');
    await execute(page);
    await resultContains(page, 'UNAUTHENTICATED');
    await typeKey(page, 'MenuOfAStore', site.key);
    await execute(page);
    await resultContains(page, 'Dona Gaivota');
    await expect.poll(await resultOf(page, 'OrdersOfToday'), polling).toContain('"ordersRevision"');
    // GraphiQL reads the color scheme only when it is loaded.
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.reload();
    await page.locator('.graphiql-tab-active', { hasText: 'OrdersOfToday' }).waitFor();
    await expect.poll(await resultOf(page, 'MenuOfAStore'), polling).toContain('Pequeno-almoço');
    expect(await seriousViolations(page, { schemes: ['dark'], except })).toEqual([]);
  });
});
