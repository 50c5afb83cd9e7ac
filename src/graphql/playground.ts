import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Asset, createAsset, immutable, sendAsset } from '../cache/asset.ts';
import { startScript } from './playground/start.ts';

interface Playground {
  readonly page: Asset;
  /** What the page loads, by name. */
  readonly files: ReadonlyMap<string, Asset>;
}

/** GraphiQL's workers are scripts that it makes itself; nothing else runs that does not come from here. */
const policy = [
  "default-src 'none'",
  "script-src 'self' blob:",
  'worker-src blob:',
  "style-src 'self' 'unsafe-inline'",
  "font-src 'self' data:",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Mounts what the playground loads, and gives back what sends its page. */
export function mountPlayground(app: FastifyInstance) {
  let made: Promise<Playground> | undefined;
  const playground = () => {
    made ??= renderPlayground();
    return made;
  };
  app.get<{ Params: { hash: string; name: string } }>('/graphql/:hash/:name', async (request, reply) => {
    const { hash, name } = request.params;
    const file = (await playground()).files.get(name);
    return file?.hash === hash ? sendAsset(file, request, reply, immutable) : reply.callNotFound();
  });
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const { page } = await playground();
    return sendAsset(page, request, reply.header('content-security-policy', policy));
  };
}

/** GraphiQL from here alone: it works without internet. It is 9 MB, so it is made when first asked for. */
export async function renderPlayground(): Promise<Playground> {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql');
  // The package gives one page with everything inside, which a browser would have to load again each time.
  const whole = renderGraphiQL({});
  const style = between(whole, '<style>', '</style>');
  const script = between(whole, '<script>', 'YogaGraphiQL.renderYogaGraphiQL(\n');
  const scriptType = 'text/javascript; charset=utf-8';
  const files = new Map([
    ['graphiql.css', createAsset('text/css; charset=utf-8', style)],
    ['graphiql.js', createAsset(scriptType, script)],
    ['start.js', createAsset(scriptType, startScript())],
  ]);
  return { page: createAsset('text/html; charset=utf-8', renderPage(files)), files };
}

function between(text: string, start: string, end: string): string {
  const from = text.indexOf(start);
  const to = text.lastIndexOf(end);
  if (from === -1 || to <= from) throw new Error(`The page of GraphiQL has no ${start} … ${end}`);
  return text.slice(from + start.length, to);
}

function renderPage(files: ReadonlyMap<string, Asset>): string {
  const address = (name: string) => `graphql/${files.get(name)?.hash}/${name}`;
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Carte playground</title>
    <link rel="icon" type="image/svg+xml" href="web/icon.svg">
    <link rel="stylesheet" href="${address('graphiql.css')}">
    <link rel="stylesheet" href="web/playground/playground.css">
  </head>
  <body id="body" class="no-focus-outline">
    <div id="root"></div>
    <script src="${address('graphiql.js')}"></script>
    <script src="${address('start.js')}"></script>
  </body>
</html>
`;
}
