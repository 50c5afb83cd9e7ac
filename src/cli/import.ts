import { open } from 'node:fs/promises';
import { OperatorError, type ValidationError } from '@carte/base/errors';
import { Argument, type Command } from 'commander';
import type { KindName } from '../import/kinds.ts';
import type { Progress } from '../import/run.ts';
import { withDatabase } from './database.ts';
import { examples, terminal } from './terminal.ts';

const kindNames: readonly KindName[] = ['merchants', 'stores', 'orders'];

const maxErrorsShown = 100;

export function addImportCommand(program: Command): void {
  program
    .command('import')
    .description('import merchants, stores or orders from NDJSON: one document per line, as the REST routes return it')
    .addArgument(new Argument('<kind>', 'type of the documents').choices(kindNames))
    .argument('<file>', 'the file, or - for standard input')
    .option('--strict', 'import nothing if any line is invalid')
    .addHelpText('after', examples('carte import orders orders.ndjson'))
    .addHelpText('after', '\nImporting the same file again changes nothing.')
    .action(importFile);
}

async function importFile(kind: KindName, file: string, { strict = false }: { strict?: boolean }): Promise<void> {
  const { stream, size } = file === '-' ? { stream: process.stdin } : await openFile(file);
  const { runImport } = await import('../import/run.ts');
  let shown = 0;
  const unknown = createUnknownFields();
  const { result, seconds } = await withDatabase(async em => {
    const started = performance.now();
    const secondsSince = () => (performance.now() - started) / 1000;
    const showProgress = createProgressLine(kind, size);
    const result = await runImport({
      em,
      kind,
      stream,
      strict,
      onError: ({ line, error }) => {
        if (++shown > maxErrorsShown) return;
        const path = error.path.length > 0 ? `${error.path.join('.')}: ` : '';
        terminal.err(`line ${line}: ${path}${error.message}`);
      },
      onUnknown: unknown.add,
      onProgress: progress => showProgress(progress, secondsSince()),
    });
    return { result, seconds: secondsSince() };
  });
  terminal.err(`${kind}: ${summary(result, seconds)}`);
  unknown.show(kind);
  if (result.invalid > 0) {
    if (shown > maxErrorsShown) terminal.err(`${shown - maxErrorsShown} more errors are not shown.`);
    throw new OperatorError(
      strict ? 'Nothing was imported, because some lines are invalid.' : 'The invalid lines were skipped.',
    );
  }
}

/** Counts unknown fields by name, and warns of each once. */
function createUnknownFields() {
  const fields = new Map<string, { count: number; readonly suggestion: string }>();
  return {
    add({ path, message }: ValidationError): void {
      const name = path.join('.').replaceAll(/\.\d+(?=\.|$)/g, '[]');
      const [suggestion = ''] = / Did you mean .*/.exec(message) ?? [];
      const field = fields.get(name);
      if (field) field.count++;
      else if (fields.size < maxErrorsShown) fields.set(name, { count: 1, suggestion });
    },
    show(kind: KindName): void {
      for (const [name, { count, suggestion }] of fields) {
        const times = count === 1 ? 'once' : `${count.toLocaleString('en')} times`;
        terminal.err(`warning: ${name} was ignored (${times}), since ${kind} have no such field.${suggestion}`);
      }
    },
  };
}

/** Opens a file; its size is undefined for a pipe or device. */
async function openFile(file: string): Promise<{ stream: AsyncIterable<Buffer>; size: number | undefined }> {
  try {
    const handle = await open(file);
    const stat = await handle.stat();
    if (stat.isDirectory()) throw new Error('it is a folder');
    return { stream: handle.createReadStream(), size: stat.isFile() ? stat.size : undefined };
  } catch (error) {
    throw new OperatorError(`${file} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}

/** Lines between two milestones of a stream whose size is unknown. */
const linesPerMilestone = 100_000;

/** Shows how far an import is: continuously on a TTY, elsewhere a line for each tenth of the file. */
function createProgressLine(kind: KindName, size: number | undefined) {
  let milestones = 0;
  return (progress: Progress, seconds: number): void => {
    const done = size ? progress.bytes / size : undefined;
    // The summary follows the last batch.
    if (done === 1) return;
    const position = done === undefined ? '' : `${Math.floor(done * 100)} %, ${remaining(done, seconds)} left, `;
    const line = `${kind}: ${position}${summary(progress, seconds)}`;
    const reached = Math.floor(done === undefined ? progress.lines / linesPerMilestone : done * 10);
    if (reached > milestones) terminal.milestone(line);
    else terminal.progress(line);
    milestones = reached;
  };
}

function summary({ lines, changed, invalid }: Progress, seconds: number): string {
  const rate = Math.round(lines / Math.max(seconds, 0.001));
  const format = (number: number) => number.toLocaleString('en');
  return `${format(lines)} ${lines === 1 ? 'line' : 'lines'} read, ${format(changed)} new or changed, ${format(invalid)} invalid, ${format(rate)} lines/s`;
}

/** The time that the rest takes at the speed so far. */
function remaining(done: number, seconds: number): string {
  const left = Math.ceil((seconds * (1 - done)) / done);
  if (left < 60) return `${left} s`;
  const minutes = Math.ceil(left / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
