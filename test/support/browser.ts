import { existsSync } from 'node:fs';
import axe from 'axe-core';
import { type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, describe, expect, onTestFinished } from 'vitest';
import { loadDemo } from '../../src/demo/load.ts';
import { startApp } from './app.ts';

const executablePath = [
  process.env.CHROMIUM_PATH,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find(path => path && existsSync(path));

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
];

/** Like `describe`, where there is a browser to run it in; elsewhere the reason stands in the report. */
export function describeInBrowser(name: string, tests: () => void): void {
  // A page is drawn in no time, but not on a machine that does much else.
  if (executablePath) describe(name, { timeout: 90_000 }, tests);
  else describe.skip(`${name} (skipped: no Chromium was found; CHROMIUM_PATH names one)`, tests);
}

/** The demo on a server of its own, and a browser in front of it. No page may ask anyone else or have an error. */
export async function openSite() {
  const app = await startApp();
  const key = await loadDemo(app.orm);
  const browser = executablePath ? await chromium.launch({ executablePath, args: flags }) : undefined;
  afterAll(() => browser?.close());

  const requests: string[] = [];
  const errors: string[] = [];
  afterEach(() => {
    const asked = requests.splice(0);
    expect(asked.filter(url => !/^(data|blob):/.test(url) && new URL(url).origin !== app.url)).toEqual([]);
    expect(errors.splice(0)).toEqual([]);
  });

  const open = async (path: string, options: BrowserContextOptions & { readonly key?: string } = {}): Promise<Page> => {
    if (!browser) throw new Error('There is no browser');
    const context = await browser.newContext({ locale: 'en-GB', ...options });
    onTestFinished(() => context.close());
    const page = await context.newPage();
    page.on('request', request => requests.push(request.url()));
    page.on('pageerror', error => errors.push(String(error)));
    page.on('console', message => {
      if (message.text().includes('Content Security Policy')) errors.push(message.text());
    });
    const given = JSON.stringify(options.key ?? '');
    await page.addInitScript(`sessionStorage.getItem('carte.key') ?? sessionStorage.setItem('carte.key', ${given})`);
    await page.goto(app.url + path);
    return page;
  };

  return { ...app, key, open };
}

interface Judging {
  /** As the page is asked to look, one after the other. */
  readonly schemes?: readonly ('light' | 'dark')[];
  /** Rules that a page is excused from. */
  readonly except?: readonly string[];
}

/** Until colours have changed: pages hear of a scheme with the next frame, and some fade over. */
async function settled(page: Page): Promise<void> {
  await page.evaluate('new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
  await page.evaluate('Promise.allSettled(document.getAnimations().map(animation => animation.finished))');
}

/** What keeps people from using a page, as axe judges it, down to what it calls serious. */
export async function seriousViolations(page: Page, { schemes = ['light', 'dark'], except = [] }: Judging = {}) {
  await page.evaluate(axe.source);
  const found: axe.Result[] = [];
  for (const colorScheme of schemes) {
    await page.emulateMedia({ colorScheme });
    await settled(page);
    found.push(...(await page.evaluate<axe.AxeResults>("axe.run({ resultTypes: ['violations'] })")).violations);
  }
  return found
    .filter(({ id, impact }) => !except.includes(id) && (impact === 'serious' || impact === 'critical'))
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}
