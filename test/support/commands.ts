import { spawn, spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { serveCommands } from './shell-commands.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** A block of commands in a document, and the output that the document shows for it. */
export interface Block {
  readonly language: 'sh' | 'sql';
  readonly text: string;
  readonly printed: string | undefined;
}

/** Values for what all documents use as placeholders. */
export interface Placeholders {
  /** For `KEY`. */
  readonly key: string;
  /** For `http://127.0.0.1:4000`. */
  readonly url: string;
}

/** Commands that no test runs, by their first words, with the reason. */
export const notRun: Readonly<Record<string, string>> = {
  'npm ci': '.ci/run runs it',
  'npm run check': '.ci/run runs it',
  'npm test': '.ci/run runs it',
  'npm run test:guides': '.ci/run runs it',
  'npm start': 'it is the service that the other commands call',
  'npm install': 'it asks the internet for packages',
  'npm run bench': 'it takes minutes',
  'npx node bench/': 'it takes minutes',
  'npx node drills/': 'it takes minutes',
  git: 'it changes the working copy',
  docker: 'it needs Docker',
  kubectl: 'it needs a cluster',
  systemctl: 'it needs an installed service',
  pg_dump: 'it must be as new as the server',
  pg_restore: 'it must be as new as the server',
  ...(spawnSync('psql', ['--version']).error && { psql: 'it is not installed here' }),
  ...(process.env.CARTE_TEST_PARTITIONS === 'on' && {
    psql: 'the tables are split already',
    'npm run migration': 'it would write one that joins the tables again',
  }),
  tar: 'it copies the folder of a server that has been stopped',
};

/** The documents for people, as paths from the root. */
export const documents: readonly string[] = [
  'README.md',
  'CONTRIBUTING.md',
  'docs/**/*.md',
  'bench/README.md',
  'examples/*/README.md',
].flatMap(pattern => globSync(pattern, { cwd: root }).sort());

/**
 * The blocks to run: fenced ones in `sh` or `sql`, and indented ones, which are for the shell. A fenced block in another
 * language is to be read; `text` right below a block is what that one prints.
 */
export function blocksOf(document: string): Block[] {
  const markdown = readFileSync(`${root}${document}`, 'utf8');
  const pattern =
    /^```(\w*)[^\n]*\n([\s\S]*?)^```$(?:\n```text\n([\s\S]*?)^```$)?|(?<=\n\n)(?: {4}[^\n]*\n|\n(?= {4}))+/gm;
  return [...markdown.matchAll(pattern)].flatMap(([whole, fence, content = '', printed]): Block[] => {
    if (fence === undefined) return [{ language: 'sh', text: whole.replace(/^ {4}/gm, ''), printed: undefined }];
    if (fence === '') throw new Error(`${document} has a fenced block that does not say its language`);
    return fence === 'sh' || fence === 'sql' ? [{ language: fence, text: content, printed }] : [];
  });
}

/** The commands of a block, each with all of its lines, as far as tests run them. */
export function runnable(text: string, { key, url }: Placeholders): string {
  const commands = text.split(/(?<!\\)\n/).filter(command => !exception(command));
  return commands
    .join('\n')
    .replaceAll('http://127.0.0.1:4000', url)
    .replaceAll(/\bKEY\b/g, key);
}

/** How a command begins that no test runs, after the settings in front of it. */
function exception(command: string): string | undefined {
  const bare = command.replace(/^(?:\w+=\S* )+/, '');
  return Object.keys(notRun).find(
    words => bare === words || bare.startsWith(words.endsWith('/') ? words : `${words} `),
  );
}

const endOfBlock = '\u0004';

const client = fileURLToPath(new URL('carte.js', import.meta.url));

/** `npm run --silent carte --` without npm and without a start of the program, which take longer than the command itself. */
const carteWithoutNpm = `npm() {
  if [[ "$*" == 'run --silent carte -- '* && -z "$through_npm" ]]
  then '${process.execPath}' '${client}' "\${@:5}"
  else through_npm=; command npm "$@"
  fi
}`;

interface ShellOptions {
  readonly env: Readonly<Record<string, string>>;
  /** Whether the first `npm run --silent carte` runs npm. */
  readonly throughNpm: boolean;
}

/** One shell for a whole document, as its reader has; it exits with the first command that fails. */
export async function openShell(folder: string, { env, throughNpm }: ShellOptions) {
  const commands = await serveCommands();
  const child = spawn('bash', ['-euo', 'pipefail'], {
    cwd: folder,
    env: { ...process.env, ...env, ...commands.env },
  });
  const output = { stdout: '', stderr: '' };
  const ended = new Promise<number | null>(resolve => child.on('close', resolve));
  child.stdout.on('data', chunk => (output.stdout += chunk));
  child.stderr.on('data', chunk => (output.stderr += chunk));
  child.stdin.on('error', () => {});
  child.stdin.write(`through_npm=${throughNpm ? 'once' : ''}\n${carteWithoutNpm}\n`);

  return {
    /** Runs a block and returns its output. A failed `curl` fails it, unless the document shows the response. */
    async run(block: string, { mayFail }: { readonly mayFail: boolean }): Promise<string> {
      const curl = `curl() { command curl ${mayFail ? '' : '--fail-with-body'} "$@"; }`;
      child.stdin.write(`${curl}\n{ :\n${block}\n} </dev/null\nprintf '${endOfBlock}'\n`);
      while (!output.stdout.includes(endOfBlock)) {
        const more = new Promise<'more'>(resolve => child.stdout.once('data', () => resolve('more')));
        const next = await Promise.race([more, ended]);
        if (next !== 'more') throw new Error(`ended with ${next}: ${output.stderr}\n${output.stdout}`);
      }
      const [printed = '', rest = ''] = output.stdout.split(endOfBlock);
      output.stdout = rest;
      output.stderr = '';
      return printed;
    },
    close() {
      child.kill();
      commands.close();
    },
  };
}
