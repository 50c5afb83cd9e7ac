import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { type Asset, createAsset, sendAsset } from '../cache/asset.ts';

/** The guides for users of a running service, by their files in docs/. */
export const guides: Readonly<Record<string, string>> = {
  'front-end.md': 'GraphQL for front ends',
  'pos.md': 'POS integration',
  'webhooks.md': 'webhooks',
  'interface.md': 'REST interface',
  'operating.md': 'operating',
  'scaling.md': 'scaling',
};

/** Serves the guides in Markdown, as plain text, which every browser displays. */
export function mountGuides(app: FastifyInstance): void {
  for (const file of Object.keys(guides)) {
    let asset: Asset | undefined;
    app.get(`/guides/${file}`, (request, reply) => {
      asset ??= createAsset('text/plain; charset=utf-8', readFileSync(new URL(`../../docs/${file}`, import.meta.url)));
      return sendAsset(asset, request, reply);
    });
  }
}
