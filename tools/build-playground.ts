import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

/** All in one folder. */
const fileNames = { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js', assetFileNames: '[name].[ext]' };

/**
 * Bundles GraphiQL for the playground. `npm ci` runs this; where it could not (`--ignore-scripts`), the server does on the first
 * request. An installation without development dependencies needs the folder from another one, as in the Dockerfile.
 */
async function buildPlayground(outDir: string): Promise<void> {
  const { build } = await import('vite');
  await build({
    root: fileURLToPath(new URL('..', import.meta.url)),
    configFile: false,
    publicDir: false,
    // Files of the bundle find each other at any URL.
    base: './',
    logLevel: 'error',
    worker: { format: 'es', rolldownOptions: { output: fileNames } },
    build: {
      outDir,
      emptyOutDir: true,
      target: 'es2023',
      modulePreload: false,
      cssCodeSplit: false,
      rolldownOptions: {
        input: { graphiql: 'web/playground/graphiql.ts' },
        preserveEntrySignatures: 'strict',
        output: fileNames,
      },
    },
  });
}

const { values } = parseArgs({ options: { out: { type: 'string', default: 'dist/playground' } } });
try {
  await buildPlayground(values.out);
} catch (error) {
  if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
  console.log('The playground was not bundled: development dependencies are not installed.');
}
