#!/usr/bin/env node
// Plain JavaScript, so that older versions of Node print this message instead of a syntax error.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 24 || (major === 24 && minor < 9)) {
  console.error(
    `Carte needs Node 24.9 or newer; this is Node ${process.versions.node} (\`npm ci\` installs Node 24, which \`npm start\` and \`npm run carte\` use).`,
  );
  process.exit(1);
}
const { enableCompileCache, flushCompileCache } = await import('node:module');
const { fileURLToPath } = await import('node:url');
// Type stripping and compilation dominate the start-up time; without a writable folder they run at each start.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/carte', import.meta.url)));
// A reader that closes the pipe early, as `head` does, is no error.
process.stdout.on('error', error => {
  if (error.code !== 'EPIPE') throw error;
});
const { runCommand } = await import('../src/cli.ts');
process.exitCode = await runCommand(process.argv.slice(2));
// Node writes the cache only at an orderly exit, which a service that is killed does not have.
flushCompileCache();
