import { createReadStream } from 'node:fs';
import { Argument, type Command } from 'commander';
import { OperatorError } from '../errors.ts';
import type { KindName } from '../import/kinds.ts';
import type { Progress } from '../import/run.ts';
import { withDatabase } from './database.ts';
import { examples } from './options.ts';
import { terminal } from './terminal.ts';

const kindNames: readonly KindName[] = ['merchants', 'stores', 'orders'];

const maxErrorsShown = 100;

export function addImportCommand(program: Command): void {
  program
    .command('import')
    .description('import merchants, stores or orders from NDJSON: one document per line, as the REST routes return it')
    .addArgument(new Argument('<kind>', 'type of the documents').choices(kindNames))
    .argument('<file>', 'the file, or - for standard input')
    .option('--strict', 'import nothing if any line is invalid')
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
        if (++shown > maxErrorsShown) return;
        const path = error.path.length > 0 ? `${error.path.join('.')}: ` : '';
        terminal.err(`line ${line}: ${path}${error.message}`);
      },
      onProgress: progress => terminal.progress(summary(kind, progress, started)),
    }),
  );
  terminal.err(summary(kind, result, started));
  if (result.faulty > 0) {
    if (shown > maxErrorsShown) terminal.err(`${shown - maxErrorsShown} more errors are not shown.`);
    throw new OperatorError(
      strict ? 'Nothing was imported, because some lines are invalid.' : 'The invalid lines were skipped.',
    );
  }
}

function summary(kind: KindName, { lines, changed, faulty }: Progress, started: number): string {
  const seconds = (performance.now() - started) / 1000;
  const rate = Math.round(lines / Math.max(seconds, 0.001));
  const format = (number: number) => number.toLocaleString('en');
  return `${kind}: ${format(lines)} lines read, ${format(changed)} new or changed, ${format(faulty)} invalid, ${format(rate)} lines/s`;
}

async function openFile(file: string): Promise<AsyncIterable<Buffer>> {
  const stream = createReadStream(file);
  await new Promise<void>((resolve, reject) => {
    stream.once('open', () => resolve());
    stream.once('error', error => reject(new OperatorError(`${file} cannot be read: ${error.message}`)));
  });
  return stream;
}
