import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type Axe from 'axe-core';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type ElementHandle,
  type Locator,
  type Page,
} from 'playwright-core';
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
  // pages of their own for every window; a process in reserve for the next site; and a new frame for every page of a tab.
  `--disable-features=${[
    'HttpsUpgrades',
    'PaintHolding',
    'ThirdPartyStoragePartitioning',
    'WebUIOmniboxPopup',
    'WebUIOmniboxAimPopup',
    'SpareRendererForSitePerProcess',
    'RenderDocument',
  ]}`,
  // Two processes fewer, between which everything would pass.
  '--in-process-gpu',
  '--enable-features=NetworkServiceInProcess2',
  // The last tier of the compiler costs more than it saves in pages that live for seconds.
  '--js-flags=--no-opt',
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
        await page.goto(new URL(path, app.url).href);
        return page;
      };
    },
  };
}

interface AxeOptions {
  /** Color schemes to emulate, one after the other. */
  readonly schemes?: readonly ('light' | 'dark')[];
  /** Rules that count as well, although axe calls them moderate. */
  readonly and?: readonly string[];
  /** The only part to examine, where another test examines the rest of the page. */
  readonly within?: Locator;
}

/** Waits until colors have changed: a page gets a scheme with the next frame, and some have transitions. */
async function settled(page: Page): Promise<void> {
  await page.evaluate('new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
  await page.evaluate('Promise.allSettled(document.getAnimations().map(animation => animation.finished))');
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Axe converts the few colors of a page anew for each element behind a text, for a sixth of its time. */
const rememberColors = `{
  const { prototype } = axe.commons.color.Color;
  const { parseString } = prototype;
  const parsed = new Map();
  prototype.parseString = function (text) {
    if (!parsed.has(text)) parsed.set(text, { ...parseString.call(this, text) });
    return Object.assign(this, parsed.get(text));
  };
}`;

/** The rules of axe whose result depends on colors. */
const colorRules = ['color-contrast', 'link-in-text-block'];

/** What the page has of it after its source was evaluated there. */
declare const axe: typeof Axe & {
  readonly _audit: { readonly rules: readonly { readonly id: string; readonly impact: Axe.ImpactValue }[] };
};

interface AxeRun<Part> {
  readonly and: readonly string[];
  readonly only: string[] | undefined;
  readonly part: Part | undefined;
}

/** In the page: the violations of these rules, otherwise of all that count. */
async function runAxe({ and, only, part }: AxeRun<Node>): Promise<string[]> {
  const others = axe._audit.rules.filter(
    ({ id, impact }) => (impact === 'minor' || impact === 'moderate') && !and.includes(id),
  );
  const rules = Object.fromEntries(others.map(({ id }) => [id, { enabled: false }]));
  const { violations } = await axe.run(part ?? document, {
    resultTypes: ['violations'],
    selectors: false,
    ...(only ? { runOnly: only } : { rules }),
  });
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

/**
 * Violations that axe calls serious or critical; after the first scheme only rules about colors can give another result. All
 * violations of a rule have its impact, so those of other rules are not searched.
 */
export async function seriousViolations(
  page: Page,
  { schemes = ['light', 'dark'], and = [], within }: AxeOptions = {},
) {
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(`${axeSource};${rememberColors}`);
  const part: ElementHandle<Node> | undefined = await within?.elementHandle();
  const found: string[] = [];
  for (const [index, colorScheme] of schemes.entries()) {
    await page.emulateMedia({ colorScheme });
    await settled(page);
    found.push(...(await page.evaluate(runAxe, { and, only: index > 0 ? colorRules : undefined, part })));
  }
  return found;
}
