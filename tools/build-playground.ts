import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { brotliCompress } from 'node:zlib';

/** All in one folder. */
const fileNames = { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js', assetFileNames: '[name].[ext]' };

/** What is bundled in place of modules that GraphiQL and its editor import: less than these. */
const substitutes: readonly (readonly [imported: RegExp, module: string])[] = [
  [/\/edcore\.main\.js$/, 'editor'],
  [
    /\/(codeAction|codeActionController|colorHoverParticipant|copyPasteController|diffEditorWidget|goToDefinitionAtPosition|inlayHintsHover|inlineCompletionsHintsWidget|linesDiffComputers|listService|multiDiffEditorWidget|standaloneQuickInputService)\.js$/,
    'unused',
  ],
  [/^framer-motion$/, 'reorder'],
];

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
        resolveId(source) {
          const [, module] = substitutes.find(([imported]) => imported.test(source)) ?? [];
          return module ? fileURLToPath(new URL(`../web/playground/${module}.ts`, import.meta.url)) : null;
        },
        // Ours, and what devices have, instead of two fonts that are a third of all bytes.
        transform: (code, id) =>
          id.includes('.css') ? code.replace(/@font-face\s*\{[^}]*(Roboto|Fira Code|url\(data:)[^}]*\}/g, '') : null,
        // As small as can be, which would take seconds at the first request. What tidies queries up is loaded at its first use.
        async writeBundle({ dir = outDir }, bundle) {
          const files = Object.values(bundle).filter(
            file => file.type === 'asset' || !file.moduleIds.some(id => id.includes('/prettier/')),
          );
          await Promise.all(
            files.map(async file => {
              const compressed = await promisify(brotliCompress)(file.type === 'asset' ? file.source : file.code);
              await writeFile(join(dir, `${file.fileName}.br`), compressed);
            }),
          );
        },
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
