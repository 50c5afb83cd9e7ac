import { createReadStream } from 'node:fs';
import { Argument, type Command } from 'commander';
import { OperatorError } from '../errors.ts';
import type { KindName } from '../import/kinds.ts';
import type { Progress } from '../import/run.ts';
import { withDatabase } from './database.ts';
import { examples } from './help.ts';
import { terminal } from './terminal.ts';

const kindNames: readonly KindName[] = ['merchants', 'stores', 'orders'];

/** More would bury the first ones; the summary gives their number. */
const mostFaultsShown = 100;

export function addImportCommand(program: Command): void {
  program
    .command('import')
    .description(
      'import merchants, stores or orders from NDJSON, one document a line in the shapes of the REST interface',
    )
    .addArgument(new Argument('<kind>', 'what the lines are').choices(kindNames))
    .argument('<file>', 'the file, or - for standard input')
    .option('--strict', 'let nothing in unless every line is good')
    .addHelpText(
      'after',
      `${examples('carte import orders orders.ndjson')}\n\nImporting the same file again changes nothing.`,
    )
    .action(importFile);
}

async function importFile(kind: KindName, file: string, { strict = false }: { strict?: boolean }): Promise<void> {
  const stream = file === '-' ? process.stdin : await openFile(file);
  const { runImport } = await import('../import/run.ts');
  const started = performance.now();
  let shown = 0;
  const result = await withDatabase(em =>
    runImport({
      em,
      kind,
      stream,
      strict,
      onError: ({ line, error }) => {
        if (++shown > mostFaultsShown) return;
        const place = error.path.length > 0 ? `${error.path.join('.')}: ` : '';
        terminal.say(`line ${line}: ${place}${error.message}`);
      },
      onProgress: progress => terminal.progress(summary(kind, progress, started)),
    }),
  );
  terminal.say(summary(kind, result, started));
  if (result.faulty > 0) {
    if (shown > mostFaultsShown) terminal.say(`${shown - mostFaultsShown} more errors are not shown.`);
    throw new OperatorError(
      strict ? 'Nothing was imported, because of the faulty lines.' : 'The faulty lines were left out.',
    );
  }
}

function summary(kind: KindName, { lines, changed, faulty }: Progress, started: number): string {
  const seconds = (performance.now() - started) / 1000;
  const rate = Math.round(lines / Math.max(seconds, 0.001));
  const count = (number: number) => number.toLocaleString('en');
  return `${kind}: ${count(lines)} lines read, ${count(changed)} new or changed, ${count(faulty)} faulty, ${count(rate)} lines/s`;
}

async function openFile(file: string): Promise<AsyncIterable<Buffer>> {
  const stream = createReadStream(file);
  await new Promise<void>((resolve, reject) => {
    stream.once('open', () => resolve());
    stream.once('error', error => reject(new OperatorError(`${file} cannot be read: ${error.message}`)));
  });
  return stream;
}
