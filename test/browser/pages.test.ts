import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { describeInBrowser, openSite, seriousViolations } from '../support/browser.ts';

const run = promisify(execFile);
const site = await openSite();

describeInBrowser('/', () => {
  test('says which version runs and that the database is ready', async () => {
    const page = await site.open('/');
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    await page.getByText('ready', { exact: true }).waitFor();
    expect(await page.getByRole('banner').innerText()).toContain(version);
  });

  test('says what is wrong with a database that is not ready', async () => {
    const em = site.orm.em.fork();
    await em.execute("update migration set name = 'past ' || name");
    onTestFinished(async () => void (await em.execute('update migration set name = substr(name, 6)')));
    const page = await site.open('/');
    await page.getByRole('status').getByText('not ready: the database is not migrated').waitFor();
  });

  test('every link leads somewhere', async () => {
    const page = await site.open('/');
    const links = await page.getByRole('link').evaluateAll(all => all.map(link => link.getAttribute('href') ?? ''));
    expect(links).toEqual(['graphql', 'docs', 'menu', 'openapi.json', 'health/live', 'health/ready']);
    for (const link of links) expect((await site.get(`/${link}`, { accept: 'text/html' })).status).toBe(200);
  });

  test('its example calls work as they are copied, with the key that was typed in', async context => {
    const curl = await run('curl', ['--version']).catch(() => undefined);
    if (!curl) return context.skip('curl is not installed');
    const page = await site.open('/', { permissions: ['clipboard-read', 'clipboard-write'] });
    await page.getByLabel('Your key').fill(site.key);
    const buttons = await page.locator('figure').getByRole('button').all();
    expect(buttons).toHaveLength(3);
    const answers: unknown[] = [];
    for (const button of buttons) {
      await button.click();
      const command = await page.evaluate<string>('navigator.clipboard.readText()');
      answers.push(JSON.parse((await run('bash', ['-c', command])).stdout));
    }
    expect(answers).toMatchObject([
      { id: 'lisbon-baixa' },
      { result_code: '000000', page_size: 5 },
      { data: { store: { items: expect.arrayContaining([{ name: { text: 'Bica' }, price: 110 }]) } } },
    ]);
  });

  test('everything can be reached by keyboard', async () => {
    const page = await site.open('/');
    const reached: string[] = [];
    for (let press = 0; press < 10; press += 1) {
      await page.keyboard.press('Tab');
      reached.push(await page.evaluate<string>('document.activeElement.innerText || document.activeElement.id'));
    }
    expect(reached.map(text => text.split('\n')[0])).toEqual([
      'Playground',
      'REST documentation',
      'Menu viewer',
      'OpenAPI document',
      'liveness',
      'readiness',
      'key',
      'Copy',
      'Copy',
      'Copy',
    ]);
  });

  test('has no serious error of accessibility, light or dark', async () => {
    const page = await site.open('/');
    await page.getByText('ready', { exact: true }).waitFor();
    expect(await seriousViolations(page)).toEqual([]);
  });
});
