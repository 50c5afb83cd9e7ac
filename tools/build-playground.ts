import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

/** All in one folder. */
const fileNames = { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js', assetFileNames: '[name].[ext]' };

/** Stands for the whole of Monaco. */
const editor = fileURLToPath(new URL('../web/playground/editor.ts', import.meta.url));

/**
 * Bundles GraphiQL for the playground. `npm ci` runs this; where it could not (`--ignore-scripts`), the server does on the first
 * request. An installation without development dependencies needs the folder from another one, as in the Dockerfile.
 */
async function buildPlayground(outDir: string): Promise<void> {
  const { build } = await import('vite');
  await build({
    plugins: [
      {
        name: 'carte-playground',
        enforce: 'pre',
        resolveId: source => (source.endsWith('/edcore.main.js') ? editor : null),
        // Ours, and what devices have, instead of two fonts that are a third of all bytes.
        transform: (code, id) =>
          id.includes('.css') ? code.replace(/@font-face\s*\{[^}]*(Roboto|Fira Code|url\(data:)[^}]*\}/g, '') : null,
      },
    ],
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
