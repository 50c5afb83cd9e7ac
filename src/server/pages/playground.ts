import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Asset, contentSecurityPolicy, createAsset, immutable, onceFor, sendAsset, sendPage } from './asset.ts';
import { Html, html } from './html.ts';
import { renderPage } from './page.ts';

const mediaTypes: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  ttf: 'font/ttf',
};

/** Registers the bundle of GraphiQL, and returns a function that sends the page. */
export function mountPlayground(app: FastifyInstance) {
  const playground = onceFor<void, Awaited<ReturnType<typeof renderPlayground>>>(renderPlayground);
  app.get<{ Params: { build: string; name: string } }>('/graphql/:build/:name', async (request, reply) => {
    const { build, name } = request.params;
    const file = (await playground())?.files.get(`graphql/${build}/${name}`);
    return file ? sendAsset(file, reply, immutable) : reply.callNotFound();
  });
  return async (_request: FastifyRequest, reply: FastifyReply) => {
    const found = await playground();
    if (!found) return reply.code(404).type('text/plain').send(missing);
    return sendPage(found.page, reply, found.policy);
  };
}

const missing = `This installation has no playground, because it was made without development dependencies.
Install them (npm ci), or copy dist/playground from an installation that has them.
`;

/**
 * Renders the page with the bundle that `npm ci` has built, or builds that; undefined where that is not possible. The page is small: GraphiQL is
 * bundled from its packages, and the scripts of web/playground import it.
 */
export async function renderPlayground() {
  const bundle = (await readBundle(folder)) ?? (await buildInMemory());
  if (!bundle) return undefined;
  const build = createHash('sha256');
  for (const name of [...bundle.keys()].sort()) build.update(name).update(bundle.get(name) ?? '');
  // One hash for all files, since they import each other by relative URLs.
  const base = `graphql/${build.digest('base64url').slice(0, 16)}`;
  /** By URL. */
  const files = new Map<string, Asset>();
  for (const [name, content] of bundle) {
    const type = mediaTypes[name.slice(name.lastIndexOf('.') + 1)];
    if (type) files.set(`${base}/${name}`, createAsset(type, content, bundle.get(`${name}.br`)));
  }
  const imports = JSON.stringify({ imports: { './web/playground/graphiql.ts': `./${base}/graphiql.js` } });
  return {
    page: createAsset('text/html; charset=utf-8', renderGraphiql(base, imports, [...files.keys()])),
    // Allows the import map, the styles that Monaco sets from scripts, and the fonts in GraphiQL's style.
    policy: contentSecurityPolicy({
      'script-src': `'self' 'sha256-${createHash('sha256').update(imports).digest('base64')}'`,
      'worker-src': "'self'",
      'style-src': "'self' 'unsafe-inline'",
      'font-src': "'self' data:",
      'img-src': "'self' data:",
    }),
    files,
  };
}

function renderGraphiql(base: string, imports: string, urls: readonly string[]): string {
  // GraphiQL imports the editor only once it runs; these names make browsers load it at once.
  const early = urls.filter(url => /\/(graphiql|monaco)[^/]*\.js$/.test(url));
  return renderPage({
    title: 'Carte playground',
    section: 'Playground',
    head: html`<script type="importmap">${new Html(imports)}</script>
    ${early.map(url => html`<link rel="modulepreload" href="${url}">`)}
    <link rel="stylesheet" href="${base}/style.css">`,
    styles: ['playground.css'],
    script: 'playground/main.ts',
    body: html`<main id="content" tabindex="-1">
      <p class="loading">Loading GraphiQL…</p>
      <noscript>
        <p>The playground needs JavaScript. The <a href="schema.graphql">schema</a> and the <a href="guides">guides</a> can be read without.</p>
      </noscript>
    </main>`,
  });
}

/** Files of the bundle of GraphiQL by name. */
type Bundle = ReadonlyMap<string, Buffer>;

const folder = fileURLToPath(new URL('../../../dist/playground', import.meta.url));
const buildScript = fileURLToPath(new URL('../../../tools/build-playground.ts', import.meta.url));

/** Builds the bundle in a process of its own, for Vite's memory, and in a temporary folder, as the checkout may be read-only. */
async function buildInMemory(): Promise<Bundle | undefined> {
  if (!existsSync(buildScript)) return undefined;
  const out = await mkdtemp(join(tmpdir(), 'carte-playground-'));
  try {
    await promisify(execFile)(process.execPath, [buildScript, '--out', out]);
    return await readBundle(out);
  } finally {
    await rm(out, { recursive: true, force: true });
  }
}

async function readBundle(path: string): Promise<Bundle | undefined> {
  try {
    const names = await readdir(path);
    if (names.length === 0) return undefined;
    return new Map(await Promise.all(names.map(async name => [name, await readFile(join(path, name))] as const)));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
