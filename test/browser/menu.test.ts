import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { describeInBrowser, openSite, seriousViolations } from '../support/browser.ts';

const site = await openSite();

const menus = (page: Page) => page.locator('#menu h2');
const status = (page: Page, text: string | RegExp) => page.getByRole('status').filter({ hasText: text }).waitFor();

describeInBrowser('/menu', () => {
  /** Each test that uses it ends without a key, or is the last to use it. */
  const openWithoutKey = site.share();
  // Far from the stores: no time may depend on where the browser is.
  const openWithKey = site.share({ key: site.key, timezoneId: 'Asia/Tokyo' });

  test('prompts for a key, stores it for the tab alone, and keeps it out of the URL', async () => {
    const page = await openWithoutKey('/menu');
    await status(page, 'Menus need a key.');
    await page.getByLabel('Key').fill(site.key);
    await page.keyboard.press('Enter');
    await status(page, 'Dona Gaivota Lisbon');
    expect(new URL(page.url()).search).toBe('?store=lisbon-baixa&language=en');
    expect(await page.evaluate('JSON.stringify(localStorage) + document.cookie')).toBe('{}');
    await page.reload();
    await status(page, 'Dona Gaivota Lisbon');
    await page.getByRole('button', { name: 'Forget the key' }).click();
    await status(page, 'Menus need a key.');
    expect(await page.locator('#menu').innerText()).toBe('');
  });

  test('can be used by keyboard, from the key to the choices of an item', async () => {
    const page = await openWithoutKey('/menu?store=lisbon-baixa&at=any');
    await status(page, 'Menus need a key.');
    const tabTo = async (target: Locator) => {
      for (let press = 0; press < 30; press += 1) {
        if (await target.evaluate(element => element === document.activeElement)) return;
        await page.keyboard.press('Tab');
      }
      throw new Error('The keyboard does not lead there');
    };
    await tabTo(page.getByLabel('Key'));
    await page.keyboard.insertText(site.key);
    await page.keyboard.press('Enter');
    await status(page, 'Dona Gaivota Lisbon');
    const choices = page.locator('.item details').first();
    await tabTo(choices.locator('summary'));
    await page.keyboard.press('Enter');
    await choices.locator('.group').first().waitFor();
  });

  test('offers every language that the menus have', async () => {
    const page = await openWithKey('/menu?store=tokyo-yanaka&at=any');
    await menus(page).getByText('Lunch sets').waitFor();
    const language = page.getByLabel('Language');
    expect(await language.locator('option').allTextContents()).toEqual([
      'English (en)',
      'português (pt)',
      '日本語 (ja)',
    ]);
    await language.selectOption('pt');
    await menus(page).getByText('Menus de almoço').waitFor();
    expect(await menus(page).allTextContents()).toContain('Último copo');
    expect(new URL(page.url()).search).toBe('?store=tokyo-yanaka&language=pt&at=any');
  });

  test('shows what is available past midnight, in the time zone of the store', async () => {
    const page = await openWithKey('/menu?store=lisbon-baixa');
    await status(page, 'Dona Gaivota Lisbon');
    await page.getByLabel('Date and time at the store').fill('2026-03-07T01:30');
    await menus(page).getByText('Late at the bar').waitFor();
    expect(await menus(page).allTextContents()).toEqual(['Late at the bar']);
    expect(new URL(page.url()).search).toBe('?store=lisbon-baixa&language=en&at=2026-03-07T01:30');
    await page.getByLabel('Date and time at the store').fill('2026-03-07T02:00');
    await status(page, 'no menus are available at this time');
    expect(await menus(page).count()).toBe(0);
  });

  test('takes store, language and time from the URL, also a time with a zone', async () => {
    const page = await openWithKey('/menu?store=mexico-roma&language=es&at=2026-03-07T09:15:00Z');
    await menus(page).getByText('Tacos de noche').waitFor();
    expect(await page.getByLabel('Date and time at the store').inputValue()).toBe('2026-03-07T03:15');
    expect(await page.getByLabel('Store', { exact: true }).inputValue()).toBe('mexico-roma');
  });

  test('shows prices, labels, choices, what is sold out, and diagnostics', async () => {
    const page = await openWithKey('/menu?store=lisbon-baixa&at=any');
    const bica = page.locator('.item', { hasText: 'Bica' }).first();
    await bica.waitFor();
    expect(await bica.innerText()).toMatch(/^Bica\n+1\.10\n+.*\n+vegan · vegetarian · gluten-free/);
    await bica.getByText('How you like it').click();
    expect(await bica.locator('.group').first().innerText()).toMatch(/up to 3\n+Extra shot\n+\+\d\.\d\d/);
    const sardines = page.locator('.item', { hasText: 'Grilled sardines' }).first();
    expect(await sardines.innerText()).toContain('sold out');
    const colour = (part: Locator) => part.locator('h4').evaluate(name => getComputedStyle(name).color);
    expect(await colour(sardines)).not.toBe(await colour(bica));
    const { body } = await site.graphql('{ store(id: "lisbon-baixa") { menuDiagnostics { message } } }');
    for (const { message } of body.data.store.menuDiagnostics) {
      await page.getByRole('complementary').getByText(message).waitFor();
    }
  });

  test('reports a wrong key, store or time, and a network error', async () => {
    const page = await site.open('/menu?store=nowhere', { key: 'carte_wrong' });
    await status(page, 'The key is not accepted. The API key in the header x-api-key is not known');
    await page.getByLabel('Key').fill('schlüssel');
    await page.getByRole('button', { name: 'Use' }).click();
    await status(page, 'This is not a key');
    await page.getByLabel('Key').fill(site.key);
    await page.getByRole('button', { name: 'Use' }).click();
    await status(page, `No store in this key's scope has the id “nowhere”.`);

    await page.context().setOffline(true);
    await page.getByLabel('Store', { exact: true }).selectOption('lisbon-baixa');
    await status(page, 'The server cannot be reached.');
    await page.context().setOffline(false);
    await page.getByRole('button', { name: 'Try again' }).click();
    await status(page, 'Dona Gaivota Lisbon');
    await page.goto(`${site.url}/menu?at=tomorrow`);
    await status(page, '“tomorrow” is not a time such as 2026-03-07T01:30.');
  });

  test('has no serious accessibility violation, light or dark', async () => {
    const page = await openWithKey('/menu?store=lisbon-baixa&at=2026-03-07T01:30');
    await page.locator('details').first().click();
    expect(await seriousViolations(page)).toEqual([]);
  });
});
