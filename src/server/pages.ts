import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { mountGuides } from './pages/guides.ts';
import { mountPages } from './pages/mount.ts';
import { mountSdl } from './pages/sdl.ts';

/** Mounts the pages for people, and the schema in SDL. */
export const pages = fp(
  async (app: FastifyInstance) => {
    if (app.config.introspection) mountSdl(app, app.graph.schema);
    mountGuides(app);
    mountPages(app, app.config);
  },
  { name: 'pages', dependencies: ['error-handler', 'graph'] },
);
