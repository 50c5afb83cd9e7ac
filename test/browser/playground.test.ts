import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { describeInBrowser, openSite, seriousViolations } from '../support/browser.ts';

const site = await openSite();

const emptyKey = (page: Page) =>
  page.getByRole('region', { name: 'Headers' }).locator('.view-line', { hasText: '"x-api-key": ""' });

/**
 * Opens a tab and types a key there. The editors show another tab's text a frame later than the tabs do, and an answer may
 * speak of x-api-key too: so the key is typed only once the headers of this tab are there.
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
const answer = (page: Page, text: string) =>
  page.locator('.result-window .view-line', { hasText: text }).first().waitFor();

/** GraphiQL takes up the operation of a tab a moment after it shows the tab, so the first press may still run another one. */
async function answerOf(page: Page, tab: string): Promise<() => Promise<string>> {
  await openTab(page, tab);
  return async () => {
    await execute(page);
    return page.locator('.result-window .view-lines').innerText();
  };
}

const patiently = { timeout: 60_000, interval: 1000 };

describeInBrowser('/graphql', () => {
  test('shows that a key is wrong; a right one serves its tab and the next, and a reload keeps them', async () => {
    const page = await site.open('/graphql');
    await typeKey(page, 'MenuOfAStore', 'carte_wrong');
    await execute(page);
    await answer(page, 'UNAUTHENTICATED');
    await typeKey(page, 'Diagnostics', site.key);
    await execute(page);
    await answer(page, 'Dona Gaivota');
    await expect.poll(await answerOf(page, 'OrdersOfToday'), patiently).toContain('"ordersRevision"');
    await page.reload();
    await page.locator('.graphiql-tab-active', { hasText: 'OrdersOfToday' }).waitFor();
  });

  test('every prepared tab is answered with the key of another page', async () => {
    const page = await site.open('/graphql', { key: site.key });
    const answers = {
      MenuOfAStore: '"Pequeno-almoço"',
      AvailableNow: '"timezone"',
      OrdersOfToday: '"ordersRevision"',
      Diagnostics: '"menuDiagnostics"',
      ReplaceMenus: '"CONFLICT"',
    };
    await page.locator('.graphiql-tab').first().waitFor();
    expect(await page.locator('.graphiql-tab').count()).toBe(Object.keys(answers).length);
    for (const [tab, text] of Object.entries(answers)) {
      await expect.poll(await answerOf(page, tab), patiently).toContain(text);
    }
  });

  test('is used by keyboard', async () => {
    const page = await site.open('/graphql', { key: site.key });
    await page.locator('.graphiql-query-editor .view-line', { hasText: 'menuRevision' }).click();
    await page.keyboard.press('ControlOrMeta+Enter');
    await answer(page, 'Dona Gaivota Lisboa');
  });

  test('stands one below the other on a narrow screen', async () => {
    const page = await site.open('/graphql', { viewport: { width: 390, height: 850 } });
    await emptyKey(page).waitFor();
    const query = await page.locator('.graphiql-query-editor').boundingBox();
    const result = await page.locator('.result-window').boundingBox();
    expect(query?.width).toBeGreaterThan(250);
    expect(result?.width).toBeGreaterThan(250);
    expect(result?.y).toBeGreaterThan((query?.y ?? 0) + (query?.height ?? 0));
  });

  // GraphiQL looks at the scheme only once, when it is loaded.
  test.each(['light', 'dark'] as const)(
    'has no serious error of accessibility when it is %s, but for what GraphiQL is built of',
    async colorScheme => {
      const page = await site.open('/graphql', { key: site.key, colorScheme });
      await page.locator('.graphiql-tab').first().waitFor();
      await execute(page);
      await answer(page, 'Dona Gaivota');
      const judging = { schemes: [colorScheme], except: ['nested-interactive'] };
      expect(await seriousViolations(page, judging)).toEqual([]);
    },
  );
});
