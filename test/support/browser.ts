import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type axe from 'axe-core';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, describe, expect, onTestFinished } from 'vitest';
import type { Config } from '../../src/config.ts';
import { loadDemo } from '../../src/demo/load.ts';
import { chromiumPath } from '../../support/chromium.ts';
import { startApp } from './app.ts';

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
  // Chromium takes the last list alone: what the tests need of Playwright's; the suggestions of the address bar, which load two
  // pages of their own for every window; and a process in reserve for the next site.
  `--disable-features=${[
    'HttpsUpgrades',
    'PaintHolding',
    'ThirdPartyStoragePartitioning',
    'WebUIOmniboxPopup',
    'WebUIOmniboxAimPopup',
    'SpareRendererForSitePerProcess',
  ]}`,
];

/** Like `describe`; skipped, with the reason in the report, where there is no browser. */
export function describeInBrowser(name: string, tests: () => void): void {
  if (chromiumPath) describe(name, { timeout: 90_000 }, tests);
  else describe.skip(`${name} (skipped: no Chromium was found; CHROMIUM_PATH names one)`, tests);
}

interface PageOptions extends BrowserContextOptions {
  /** Put where the pages store the key that was typed in. */
  readonly key?: string;
}

let launched: Promise<Browser> | undefined;

/** One browser for all files of a worker, which share this module; it ends with the worker. */
const launch = (executablePath: string) => (launched ??= chromium.launch({ executablePath, args: flags }));

/** The demo on a server of its own, and a browser. After each test: no request has gone elsewhere, and no page had an error. */
export async function openSite(overrides: Partial<Config> = {}) {
  const app = await startApp(overrides);
  const key = await loadDemo(app.orm);
  const browser = chromiumPath ? await launch(chromiumPath) : undefined;
  afterAll(() => Promise.all(contexts.map(context => context.close())));

  /** Where pages may send requests to. */
  const origins = new Set([app.url]);
  const contexts: BrowserContext[] = [];
  const requests: string[] = [];
  const errors: string[] = [];
  afterEach(() => {
    const sent = requests.splice(0);
    expect(sent.filter(url => !/^(data|blob):/.test(url) && !origins.has(new URL(url).origin))).toEqual([]);
    expect(errors.splice(0)).toEqual([]);
  });

  async function newPage(path: string, { key: stored = '', ...options }: PageOptions): Promise<Page> {
    if (!browser) throw new Error('There is no browser');
    const context = await browser.newContext({ locale: 'en-GB', ...options });
    contexts.push(context);
    const page = await context.newPage();
    page.on('request', request => requests.push(request.url()));
    page.on('pageerror', error => errors.push(String(error)));
    page.on('console', message => {
      if (message.text().includes('Content Security Policy')) errors.push(message.text());
    });
    const quoted = JSON.stringify(stored);
    if (stored !== '')
      await page.addInitScript(`sessionStorage.getItem('carte.key') ?? sessionStorage.setItem('carte.key', ${quoted})`);
    await page.goto(new URL(path, app.url).href);
    return page;
  }

  return {
    ...app,
    key,
    origins,
    /** Opens a page in a context of its own, for one test. */
    async open(path: string, options: PageOptions = {}): Promise<Page> {
      const page = await newPage(path, options);
      onTestFinished(() => page.context().close());
      return page;
    },
    /**
     * A page for the tests of a file, each of which loads in it what it needs, with the key of the options or another one: a
     * context of its own costs more than that.
     */
    share(options: PageOptions = {}): (path: string, key?: string) => Promise<Page> {
      let shared: Promise<Page> | undefined;
      return async (path, stored = options.key ?? '') => {
        if (!shared) {
          shared = newPage(path, { ...options, key: stored });
          return shared;
        }
        const page = await shared;
        await page.emulateMedia({ colorScheme: null });
        await page.evaluate(`sessionStorage.clear(), sessionStorage.setItem('carte.key', ${JSON.stringify(stored)})`);
        await page.goto(app.url + path);
        return page;
      };
    },
  };
}

interface AxeOptions {
  /** Color schemes to emulate, one after the other. */
  readonly schemes?: readonly ('light' | 'dark')[];
  /** Rules that a page is excused from. */
  readonly except?: readonly string[];
  /** Rules that count as well, although axe calls them moderate. */
  readonly and?: readonly string[];
}

/** Waits until colors have changed: a page gets a scheme with the next frame, and some have transitions. */
async function settled(page: Page): Promise<void> {
  await page.evaluate('new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
  await page.evaluate('Promise.allSettled(document.getAnimations().map(animation => animation.finished))');
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The rules of axe whose result depends on colors. */
const colorRules = ['color-contrast', 'link-in-text-block'];

/** Violations that axe calls serious or critical; after the first scheme only rules about colors can give another result. */
export async function seriousViolations(
  page: Page,
  { schemes = ['light', 'dark'], except = [], and = [] }: AxeOptions = {},
) {
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(axeSource);
  const found: axe.Result[] = [];
  for (const [index, colorScheme] of schemes.entries()) {
    await page.emulateMedia({ colorScheme });
    await settled(page);
    const options = { resultTypes: ['violations'], selectors: false, ...(index > 0 && { runOnly: colorRules }) };
    found.push(...(await page.evaluate<axe.AxeResults>(`axe.run(${JSON.stringify(options)})`)).violations);
  }
  return found
    .filter(
      ({ id, impact }) => !except.includes(id) && (['serious', 'critical'].includes(impact ?? '') || and.includes(id)),
    )
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}
