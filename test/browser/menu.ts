import type { Locator, Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { issueKey, revokeKey } from '../../src/auth/keys.ts';
import { describeInBrowser, seriousViolations } from '../support/browser.ts';
import { operatorFork, smallMenu } from '../support/data.ts';
import { site } from './site.ts';

const menus = (page: Page) => page.locator('#menu h2');
const status = (page: Page, text: string | RegExp) => page.getByRole('status').filter({ hasText: text }).waitFor();
const search = (page: Page) => page.getByRole('searchbox');
const enter = async (page: Page, key: string) => {
  await page.getByLabel('Key').fill(key);
  await page.keyboard.press('Enter');
};
/** Expects what is above the menus in a language. */
async function expectPageIn(page: Page, heading: string, button: string, note: RegExp): Promise<void> {
  await page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor();
  expect(await page.getByRole('button', { name: button }).count()).toBe(1);
  expect(await page.locator('#note').innerText()).toMatch(note);
}
const boxOf = async (part: Locator) => {
  const box = await part.boundingBox();
  if (!box) throw new Error('The part is not shown');
  return box;
};

describeInBrowser('/menu', () => {
  // Far from the stores: no time may depend on where the browser is.
  const open = site.share({ key: site.key, timezoneId: 'Asia/Tokyo' });
  const noKey = '';
  let loaded: Promise<Page> | undefined;
  /** The menus of a store, loaded once for the tests that choose the rest in the page; the others come after them. */
  const lisbon = () => (loaded ??= open('/menu?store=lisbon-baixa&at=any'));

  test('leads to every section, and marks the one being read, also on a phone', async () => {
    const page = await lisbon();
    const nav = page.getByRole('navigation', { name: 'Sections of the menu' });
    const current = nav.locator('[aria-current]');
    const waitForCurrent = (name: string) => current.filter({ hasText: new RegExp(`^${name}$`) }).waitFor();
    await waitForCurrent('Breakfast');
    expect(await nav.getByRole('link').count()).toBe(await page.locator('.menu, .category').count());
    for (const size of [
      { width: 1440, height: 900 },
      { width: 390, height: 844 },
    ]) {
      await page.setViewportSize(size);
      await nav.getByRole('link', { name: 'Desserts' }).last().click();
      await waitForCurrent('Desserts');
      const section = await boxOf(page.getByRole('heading', { name: 'Desserts' }).last());
      expect(section.y).toBeGreaterThanOrEqual(0);
      expect(section.y).toBeLessThan(250);
      const link = await boxOf(current);
      expect([link.x > 0, link.x + link.width <= size.width, link.y < size.height]).toEqual([true, true, true]);
      await page.evaluate('scrollTo(0, 0)');
      await waitForCurrent('Breakfast');
    }
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    await page.setViewportSize({ width: 1280, height: 720 });
  });

  test('shows prices, labels, allergens, choices, what is sold out, and diagnostics', async () => {
    const page = await lisbon();
    const bica = page.locator('.item', { hasText: 'Bica' }).first();
    await bica.waitFor();
    expect(await bica.innerText()).toMatch(/^Bica\n+€1\.10\n+.*\n+Vegan\n+Vegetarian\n+Gluten-free/);
    await bica.getByText('How you like it').click();
    expect(await bica.locator('.group').first().innerText()).toMatch(/up to 3\n+Extra shot\n+\+€\d\.\d\d/);
    const garoto = page.locator('.item', { hasText: 'Garoto' }).first();
    const colour = (part: Locator) => part.evaluate(element => getComputedStyle(element).color);
    expect(await garoto.getByText('Contains: milk').count()).toBe(1);
    expect(await colour(garoto.locator('.allergens'))).not.toBe(await colour(garoto.getByText('Vegetarian')));
    const sardines = page.locator('.item', { hasText: 'Grilled sardines' }).first();
    expect(await sardines.textContent()).toContain('Sold out');
    expect(await colour(sardines.locator('h4'))).not.toBe(await colour(bica.locator('h4')));
    const { body } = await site.graphql('{ store(id: "lisbon-baixa") { menuDiagnostics { message } } }');
    for (const { message } of body.data.store.menuDiagnostics) {
      await page.getByRole('complementary').getByText(message).waitFor();
    }
  });

  test('shows what is available past midnight, in the time zone of the store, and else when it opens', async () => {
    const page = await lisbon();
    await status(page, 'Dona Gaivota Lisbon');
    await page.getByLabel('Date and time at the store').fill('2026-03-07T01:30');
    await expect.poll(() => menus(page).allTextContents()).toEqual(['Late at the bar']);
    expect(await page.locator('.menu > .small').innerText()).toBe('Wed – Sat 22:00 – 02:00');
    expect(new URL(page.url()).search).toBe('?store=lisbon-baixa&language=en&at=2026-03-07T01:30');
    await page.getByLabel('Date and time at the store').fill('2026-03-07T02:00');
    await status(page, 'no menus are available at this time');
    expect(await menus(page).innerText()).toMatch(/^Next opening: Saturday,? 7 March 2026 at 09:00$/);
    expect(await page.locator('#menu h3').allTextContents()).toEqual([
      'Breakfast',
      'At the counter, all day',
      'Lunch',
      'Dinner',
      'Late at the bar',
    ]);
  });

  test('has no serious accessibility violation, light or dark', async () => {
    const page = await lisbon();
    await page.getByLabel('Date and time at the store').fill('2026-03-07T01:30');
    await expect.poll(() => menus(page).allTextContents()).toEqual(['Late at the bar']);
    await page.locator('summary').first().click();
    await search(page).fill('beer');
    expect(await seriousViolations(page)).toEqual([]);
  });

  test('searches names and descriptions in the language shown, and says how many were found', async () => {
    const page = await lisbon();
    await search(page).fill('');
    await page.getByLabel('any time').check();
    await page.locator('#language').selectOption('pt');
    await menus(page).getByText('Pequeno-almoço').waitFor();
    await search(page).fill('sardinhas');
    await status(page, /^\d+ artigos? encontrados?$/);
    const found = page.locator('.item:not([hidden])');
    expect(await found.count()).toBe(Number.parseInt(await page.locator('#found').innerText(), 10));
    for (const text of await found.allTextContents()) expect(text.toLowerCase()).toContain('sardinhas');
    expect(await page.locator('.category:not([hidden]):not(:has(.item:not([hidden])))').count()).toBe(0);
    await search(page).fill('sushi');
    await status(page, 'Nada encontrado para “sushi”');
    expect(await found.count()).toBe(0);
    await page.keyboard.press('Escape');
    expect(await search(page).inputValue()).toBe('');
    expect(await page.locator('.item[hidden]').count()).toBe(0);
  });

  test('prompts for a key, stores it for the tab alone, and keeps it out of the URL', async () => {
    const page = await open('/menu', noKey);
    await status(page, 'Menus need a key.');
    await page.getByRole('button', { name: 'Use' }).click();
    await page.getByRole('alert').getByText('Enter a key.').waitFor();
    await enter(page, site.key);
    await status(page, 'Dona Gaivota Lisbon');
    expect(new URL(page.url()).search).toBe('?store=lisbon-baixa&language=en');
    expect(await page.evaluate('JSON.stringify(localStorage) + document.cookie')).toBe('{}');
    expect(await page.locator('#key').inputValue()).toBe('');
    await page.reload();
    await status(page, 'Dona Gaivota Lisbon');
    await page.getByRole('button', { name: 'Forget the key' }).click();
    await status(page, 'Menus need a key.');
    expect(await page.locator('#menu').innerText()).toBe('');
  });

  test('can be used by keyboard, from the key to the choices of an item that was searched', async () => {
    const page = await open('/menu?store=lisbon-baixa&at=any', noKey);
    await status(page, 'Menus need a key.');
    const tabTo = async (target: Locator) => {
      for (let press = 0; press < 10; press += 1) {
        if (await target.evaluate(element => element === document.activeElement)) return;
        await page.keyboard.press('Tab');
      }
      throw new Error('The keyboard does not lead there');
    };
    await tabTo(page.getByLabel('Key'));
    await page.keyboard.insertText(site.key);
    await page.keyboard.press('Enter');
    await status(page, 'Dona Gaivota Lisbon');
    await page.keyboard.press('/');
    await page.keyboard.type('galao', { delay: 0 });
    await page.keyboard.press('Enter');
    const item = page.locator('.item:not([hidden])').first();
    expect(await item.locator('h4').innerText()).toBe('Galão');
    await tabTo(item.locator('summary'));
    await page.keyboard.press('Enter');
    await item.locator('.group').first().waitFor();
  });

  test('reports a wrong key, which can be corrected, a wrong store, and a network error', async () => {
    const page = await open('/menu?store=nowhere', noKey);
    await enter(page, 'carte_wrong');
    await status(page, 'This key is not known, or no longer valid.');
    expect(await page.getByLabel('Key').inputValue()).toBe('carte_wrong');
    await page.getByRole('button', { name: 'Show' }).click();
    expect(await page.getByLabel('Key').getAttribute('type')).toBe('text');
    await enter(page, 'schlüssel');
    await status(page, 'This is not a key');
    expect(await page.getByLabel('Key').inputValue()).toBe('schlüssel');
    await enter(page, site.key);
    await status(page, `No store in this key's scope has the id “nowhere”.`);

    await page.context().setOffline(true);
    await page.getByLabel('Store', { exact: true }).selectOption('lisbon-baixa');
    await status(page, 'The server cannot be reached.');
    await page.context().setOffline(false);
    await page.getByRole('button', { name: 'Try again' }).click();
    await status(page, 'Dona Gaivota Lisbon');
  });

  test('forgets the stores of a key that is revoked', async () => {
    const em = operatorFork(site.orm);
    const scope = { name: 'guest', all: false, merchantIds: [], permissions: [] };
    const first = await issueKey(em, { ...scope, storeIds: ['lisbon-baixa', 'tokyo-yanaka'] });
    const second = await issueKey(em, { ...scope, storeIds: ['mexico-roma'] });
    const page = await open('/menu', noKey);
    await enter(page, first.key);
    await status(page, 'Dona Gaivota Lisbon');
    await revokeKey(operatorFork(site.orm), first.id);
    await page.getByLabel('Store', { exact: true }).selectOption('tokyo-yanaka');
    await status(page, 'This key is not known');
    expect(await page.locator('#choice').isVisible()).toBe(false);
    expect(await page.getByLabel('Key').inputValue()).toBe(first.key);
    await enter(page, second.key);
    await page.locator('#choice').waitFor();
    const options = await page.locator('#store option').all();
    expect(await Promise.all(options.map(option => option.getAttribute('value')))).toEqual(['', 'mexico-roma']);
  });

  test('shows special hours, and what is available by them', async () => {
    const hours = [
      { date: '2036-12-24', name: 'Véspera de Natal', timePeriods: [{ startTime: '10:00', endTime: '14:00' }] },
      { date: '2036-12-25' },
      { date: '2037-06-01' },
    ];
    const mutation = `mutation ($hours: [SpecialHoursInput!]!) {
      setSpecialHours(input: { storeId: "lisbon-baixa", hours: $hours }) { store { id } }
    }`;
    await site.graphql(mutation, { hours });
    onTestFinished(async () => void (await site.graphql(mutation, { hours: [] })));
    const page = await open('/menu?store=lisbon-baixa&language=pt&at=2036-12-24T14:00');
    await status(page, 'nenhum');
    expect(await page.locator('.special-hours li').allInnerTexts()).toEqual([
      'quarta-feira, 24 de dezembro (Véspera de Natal): 10:00 – 14:00',
      'quinta-feira, 25 de dezembro: fechado',
    ]);
    await page.locator('.openings h2', { hasText: '26 de dezembro' }).waitFor();
    await expectPageIn(page, 'Menu', 'Esquecer a chave', /^Horas de Europe\/Lisbon\. Preços em EUR\.$/);
  });

  test('offers every language that the menus have, with weekdays, times, prices and labels in it, and keeps it from store to store', async () => {
    const page = await open('/menu?store=tokyo-yanaka&at=any');
    await menus(page).getByText('Lunch sets').waitFor();
    const language = page.locator('#language');
    expect(await language.locator('option').allTextContents()).toEqual([
      'English (en)',
      'português (pt)',
      '日本語 (ja)',
    ]);
    await language.selectOption('ja');
    await menus(page).getByText('ランチ').waitFor();
    expect(new URL(page.url()).search).toBe('?store=tokyo-yanaka&language=ja&at=any');
    const text = await page.locator('main').textContent();
    for (const word of ['店舗', 'ヴィーガン', 'アレルゲン：', '売り切れ']) expect(text).toContain(word);
    expect(await page.locator('.menu > .small').first().innerText()).toMatch(/^[月火水木金土日].*\d:00～\d+:\d\d/);
    await expectPageIn(page, 'メニュー', 'キーを消去', /^時刻のタイムゾーン：Asia\/Tokyo。 価格の通貨：JPY。$/);
    for (const price of await page.locator('.item > .price').allTextContents()) expect(price).toMatch(/^￥[\d,]+$/);
    await page.locator('#store').selectOption('mexico-roma');
    await status(page, 'The Blue Axolotl');
    await page.locator('#store').selectOption('tokyo-yanaka');
    await menus(page).getByText('ランチ').waitFor();
  });

  test('shows Arabic from right to left, with prices on the left', async () => {
    const store = await site.data.store({ country: 'SA', name: { translations: { ar: 'الواحة' } } });
    const menu = JSON.parse(JSON.stringify(smallMenu('حمص')).replaceAll('"en"', '"ar"').replaceAll('MON', 'SUN'));
    // A text from left to right, which has to be at the same side as the others.
    menu.items[0].name = { translations: { en: 'Hummus' } };
    menu.modifierGroups.push({ ...menu.modifierGroups[0], externalId: 'second' });
    menu.items[0].modifierGroupExternalIds.push('second');
    await site.data.menu(store, menu);
    const page = await open(`/menu?store=${store.id}&at=any&language=ar`);
    await menus(page).getByText('حمص').waitFor();
    const [name, price] = [await boxOf(page.locator('.item h4')), await boxOf(page.locator('.item > .price'))];
    expect(price.x).toBeLessThan(name.x);
    expect(name.x + name.width).toBeGreaterThan(price.x + price.width);
    expect(await page.locator('.item h4').evaluate(element => getComputedStyle(element).textAlign)).toBe('right');
    expect(await page.locator('.item > .price').innerText()).toContain('ر.س');
    expect(await page.locator('.menu > .small').innerText()).toContain('الأحد');
    expect(await page.locator('.choice').evaluate(choice => getComputedStyle(choice).direction)).toBe('rtl');
    expect((await page.locator('.choice :is(label, legend)').allInnerTexts()).join()).not.toMatch(/[a-z]/i);
    await expectPageIn(page, 'قائمة الطعام', 'نسيان المفتاح', /^لا منطقة زمنية .* الأسعار بعملة SAR\.$/);
    await page.getByText('حمص · حمص').click();
    await page.getByText('حتى 2', { exact: true }).first().waitFor();
  });

  test('takes store, language and time from the URL, also a time with a zone', async () => {
    const page = await open('/menu?store=mexico-roma&language=es&at=2026-03-07T09:15:00Z');
    await menus(page).getByText('Tacos de noche').waitFor();
    expect(await page.getByLabel('Fecha y hora en el local').inputValue()).toBe('2026-03-07T03:15');
    expect(await page.getByLabel('Local', { exact: true }).inputValue()).toBe('mexico-roma');
  });

  test('reports a time that is none, and shows what is available now', async () => {
    const page = await open('/menu?store=lisbon-baixa&at=tomorrow');
    await status(page, '“tomorrow” is not a time such as 2026-03-07T01:30. This is what is available now.');
    await status(page, /Dona Gaivota Lisbon: .* available now/);
    expect(new URL(page.url()).search).toBe('?store=lisbon-baixa&language=en');
  });

  test('breaks words on a phone that are longer than a line, and no others', async () => {
    const long = 'Donaudampfschifffahrtsgesellschaft'.repeat(3);
    const store = await site.data.store({ country: 'DE', name: { translations: { en: long } } });
    const { modifierItems = [], ...menu } = smallMenu(long);
    const sentence = { translations: { en: 'with everything that a guest could ever want on it '.repeat(4) } };
    await site.data.menu(store, {
      ...menu,
      modifierItems: (modifierItems ?? []).map(item => ({ ...item, name: sentence, priceChange: 123_456 })),
    });
    const page = await open(`/menu?store=${store.id}&at=any`);
    await page.setViewportSize({ width: 390, height: 844 });
    await menus(page).getByText(long).waitFor();
    for (const summary of await page.locator('#menu summary').all()) await summary.click();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    const linesOf = (text: string) =>
      page.getByText(text, { exact: true }).evaluate(part => {
        const range = document.createRange();
        range.selectNodeContents(part);
        return new Set([...range.getClientRects()].map(line => line.top)).size;
      });
    expect(await linesOf('+€1,234.56')).toBe(1);
    await page.setViewportSize({ width: 1280, height: 720 });
  });
});
