#!/usr/bin/env node
// Plain JavaScript that any Node understands, so that an old one can be told apart before it meets TypeScript.
const [major] = process.versions.node.split('.').map(Number);
if (major < 24) {
  console.error(
    `Carte needs Node 24 or newer; this is Node ${process.versions.node} (\`npm ci\` brings a Node 24 of its own, which \`npm start\` and \`npm run carte\` use).`,
  );
  process.exit(1);
}
const { enableCompileCache } = await import('node:module');
const { fileURLToPath } = await import('node:url');
// Stripping types and compiling is most of a start; where the folder cannot be written, it is done each time.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/carte', import.meta.url)));
const { runCommand } = await import('../src/cli.ts');
process.exitCode = await runCommand(process.argv.slice(2));
