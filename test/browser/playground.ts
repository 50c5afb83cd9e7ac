import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { describeInBrowser, seriousViolations } from '../support/browser.ts';
import { site } from './site.ts';

const activeTab = (page: Page) => page.locator('.graphiql-tab-active');
const tabNames = (page: Page) => page.locator('.graphiql-tab').allInnerTexts();
const pane = (page: Page, name: string) => page.getByRole('region', { name });
const line = (page: Page, name: string, text: string | RegExp) =>
  pane(page, name).locator('.view-line', { hasText: text }).first();
const keyField = (page: Page) => page.getByLabel('API key');

/** Runs a tab at the moment that it is opened, when GraphiQL has not read its text yet. */
async function runTab(page: Page, name: string): Promise<void> {
  await page.evaluate(title => {
    const tabs = [...document.querySelectorAll<HTMLElement>('.graphiql-tab-button')];
    tabs.find(tab => tab.innerText === title)?.click();
    document.querySelector<HTMLElement>('.graphiql-execute-button')?.click();
  }, name);
  await activeTab(page).filter({ hasText: name }).waitFor();
}

async function run(page: Page, expected: string): Promise<void> {
  await page.getByRole('button', { name: 'Execute query' }).click();
  await line(page, 'Result Window', expected).waitFor();
}

/** Whether the browser stores a text outside of the session of its tab. */
const isStored = (page: Page, text: string) =>
  page.evaluate<boolean>(`JSON.stringify({ ...localStorage }).includes(${JSON.stringify(text)})`);

/** GraphiQL stores its tabs half a second after a change. */
const tabsAreStored = (page: Page, text: string) =>
  expect.poll(() => page.evaluate(`localStorage.getItem('graphiql:tabState')`), { timeout: 60_000 }).toContain(text);

/** Violations of the page with its documentation: of the schema, of a type with fields and arguments, and of a search in it. */
async function violationsOfDocumentation(page: Page, scheme: 'light' | 'dark'): Promise<string[]> {
  await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
  const documentation = page.locator('.graphiql-doc-explorer');
  await documentation.getByRole('link', { name: 'Query', exact: true }).waitFor();
  const found = await seriousViolations(page, { schemes: [scheme], and: ['landmark-one-main', 'region'] });
  await documentation.getByRole('link', { name: 'Query', exact: true }).click();
  await documentation.getByRole('link', { name: 'stores', exact: true }).waitFor();
  await page.getByRole('combobox').fill('merch');
  await page.getByRole('option').first().waitFor();
  found.push(...(await seriousViolations(page, { schemes: [scheme], within: documentation })));
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Hide Documentation Explorer' }).click();
  return found;
}

const examples = [
  'MenuOfAStore',
  'AvailableNow',
  'OrdersOfToday',
  'PlaceAnOrder',
  'WatchOrders',
  'Diagnostics',
  'ReplaceMenus',
];

describeInBrowser('/graphql', () => {
  const share = site.share({ permissions: ['clipboard-read', 'clipboard-write'] });
  let shared: Promise<Page> | undefined;
  /** The playground takes seconds to load, so the tests use the same page, one after the other. */
  const open = () => (shared ??= share('/web/icon.svg'));

  test('shares one of several operations by a link without the key, and lists what ran in the history', async () => {
    const page = await open();
    await page.evaluate(key => sessionStorage.setItem('carte.key', key), site.key);
    const fragment = new URLSearchParams({
      query: 'query One { stores { nodes { id } } }\nquery Two($id: ID!) { merchant(id: $id) { brandName } }',
      variables: '{ "id": "dona-gaivota" }',
    });
    await page.goto(`${site.url}/graphql#${fragment}`);
    await line(page, 'Variables', 'dona-gaivota').waitFor();
    expect(new URL(page.url()).hash).toBe('');
    await page.getByRole('button', { name: 'Execute query' }).click();
    await page.getByRole('menuitem', { name: 'Two' }).click();
    await line(page, 'Result Window', '"brandName"').waitFor();
    await page.getByRole('button', { name: 'Copy a link' }).click();
    const readClipboard = () => page.evaluate<string>('navigator.clipboard.readText()');
    await expect.poll(readClipboard, { timeout: 60_000 }).toBe(`${site.url}/graphql#${fragment}`);
    expect(await page.getByRole('heading', { level: 1 }).allInnerTexts()).toEqual(['Playground']);
    expect(await violationsOfDocumentation(page, 'light')).toEqual([]);
    await page.getByRole('button', { name: 'Show History' }).click();
    await page.locator('.graphiql-history-item', { hasText: 'Two' }).waitFor();
    await page.getByRole('button', { name: 'Hide History' }).click();
  });

  test('shows an operation as a REST route and a tool, and its file', async () => {
    const page = await open();
    await page.getByRole('button', { name: 'Show REST route and tool' }).click();
    const panel = page.getByRole('region', { name: 'REST route and tool' });
    await panel.getByText('GET /my/merchant/{id}').waitFor();
    await panel.getByText('curl', { exact: true }).click();
    await panel.getByText('/my/merchant/dona-gaivota').first().waitFor();
    expect(await panel.getByText(site.key).count()).toBe(0);
    const file = await panel.getByRole('link', { name: 'Download Two.graphql' }).getAttribute('href');
    expect(decodeURIComponent(file ?? '')).toContain('query Two($id: ID!) @route(path: "/my/merchant/{id}"');
    expect(await seriousViolations(page, { schemes: ['light'], within: panel })).toEqual([]);
    await page.getByRole('button', { name: 'Hide REST route and tool' }).click();
  });

  test('restores the tabs on a reload, and removes keys that earlier versions have stored', async () => {
    const page = await open();
    await tabsAreStored(page, '"operationName":"Two"');
    const names = await tabNames(page);
    expect(names).toEqual(['Two', ...examples]);
    await page.evaluate(key => {
      const headers = JSON.stringify({ 'x-api-key': key });
      const withHeaders = (text: string) => text.replaceAll('"headers":null', `"headers":${JSON.stringify(headers)}`);
      for (const name of ['graphiql:tabState', 'graphiql:queries'])
        localStorage.setItem(name, withHeaders(localStorage.getItem(name) ?? ''));
      localStorage.setItem('graphiql:headers', headers);
    }, site.key);
    expect(await isStored(page, site.key)).toBe(true);
    await page.reload();
    await line(page, 'Operation Editor', 'query Two').waitFor();
    expect([await tabNames(page), await activeTab(page).innerText()]).toEqual([names, 'Two']);
    expect(await page.locator('.graphiql-tab [aria-current=true]').allInnerTexts()).toEqual(['Two']);
    expect(await isStored(page, site.key)).toBe(false);
  });

  test('runs every example with the key of the session, also at the moment that its tab is opened', async () => {
    const page = await open();
    const results = [
      ['MenuOfAStore', 'lisbon-baixa', 'Pequeno-almoço'],
      ['AvailableNow', '"at"', '"timezone"'],
      ['OrdersOfToday', '"createdFrom"', '"ordersRevision"'],
      ['PlaceAnOrder', 'lisbon-baixa', '"PENDING"'],
      ['Diagnostics', 'dona-gaivota', '"menuDiagnostics"'],
      ['ReplaceMenus', 'mexico-roma', '"CONFLICT"'],
    ] as const;
    expect(examples.toSpliced(4, 1)).toEqual(results.map(([name]) => name));
    // The button of a tab with several operations opens a menu of them.
    await page.locator('.graphiql-tab-button', { hasText: 'ReplaceMenus' }).click();
    await page.locator('.graphiql-execute-button:not([aria-haspopup])').waitFor();
    for (const [name, variable, result] of results) {
      await runTab(page, name);
      await line(page, 'Result Window', result).waitFor();
      await line(page, 'Variables', variable).waitFor();
      expect(await page.locator('.run-summary').innerText()).toMatch(/^[\d,]+ ms · [\d.]+ k?B · cost [\d,]+$/);
    }
    expect(await violationsOfDocumentation(page, 'dark')).toEqual([]);

    await runTab(page, 'WatchOrders');
    await page.getByRole('button', { name: 'Stop query' }).waitFor();
    const change = "update orders set is_read = not is_read where store_id = 'lisbon-baixa' and status = 'PENDING'";
    const countEvents = async () => {
      await site.orm.em.fork().execute(change);
      return pane(page, 'Result Window').locator('.view-line', { hasText: '"cursor"' }).count();
    };
    await expect.poll(countEvents, { timeout: 60_000 }).toBeGreaterThan(1);
    await page.getByRole('button', { name: 'Stop query' }).click();
    await page.getByRole('button', { name: 'Execute query' }).waitFor();
  });

  test('stores a key in the session of the tab alone, and sends what Headers shows', async () => {
    const page = await open();
    await page.locator('.graphiql-tab-button', { hasText: 'AvailableNow' }).click();
    await keyField(page).fill('carte_wrong');
    await run(page, 'UNAUTHENTICATED');
    await keyField(page).fill('ключ');
    await run(page, 'The header');
    await keyField(page).fill('carte_wrong');
    await page.getByRole('button', { name: 'Headers' }).click();
    await line(page, 'Headers', 'carte_wrong').click();
    await page.keyboard.press('ControlOrMeta+a');
    // The editor adds the closing brace.
    await page.keyboard.insertText(`{ "x-api-key": "${site.key}"`);
    await run(page, 'lisbon-baixa');
    expect(await keyField(page).inputValue()).toBe(site.key);
    await page.getByRole('button', { name: 'New tab' }).click();
    await line(page, 'Headers', site.key).waitFor();
    await page.getByRole('button', { name: 'Close <untitled>' }).waitFor();
    await pane(page, 'Operation Editor').locator('.monaco-editor').click();
    await page.keyboard.insertText('query Wrong { nothing }');
    await run(page, 'GRAPHQL_VALIDATION_FAILED');
    await line(page, 'Result Window', '"locations"').waitFor();
    await tabsAreStored(page, 'query Wrong');
    expect(await isStored(page, site.key)).toBe(false);
  });

  test('fits a phone', async () => {
    const page = await open();
    await page.setViewportSize({ width: 390, height: 844 });
    const boxOf = async (selector: string) => {
      const box = await page.locator(selector).boundingBox();
      return { left: 0, width: 0, ...box, bottom: (box?.y ?? 0) + (box?.height ?? 0) };
    };
    await expect.poll(async () => (await boxOf('.graphiql-query-editor')).width).toBe(390);
    expect((await boxOf('.result-window')).width).toBe(390);
    expect((await boxOf('.result-window')).y).toBeGreaterThanOrEqual((await boxOf('.graphiql-query-editor')).bottom);
    await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
    await expect.poll(async () => (await boxOf('.graphiql-plugin')).width).toBe(390);
    await page.getByRole('button', { name: 'Open settings dialog' }).click();
    const dark = await page.getByRole('button', { name: 'Dark' }).boundingBox();
    expect((dark?.x ?? 390) + (dark?.width ?? 0)).toBeLessThan(390);
  });

  test('forgets the key that / forgets, and starts with the examples', async () => {
    const page = await open();
    await page.goto(site.url);
    await page.getByRole('button', { name: 'Forget the key' }).click();
    await page.evaluate('localStorage.clear()');
    await page.goBack();
    await line(page, 'Operation Editor', 'menuRevision').waitFor();
    expect([await tabNames(page), await activeTab(page).innerText()]).toEqual([examples, 'MenuOfAStore']);
    await expect.poll(() => keyField(page).inputValue()).toBe('');
    expect(await isStored(page, site.key)).toBe(false);
  });
});
