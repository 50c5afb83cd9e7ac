import type { EntityManager } from '@mikro-orm/postgresql';
import { retryTransaction } from '../database/transaction.ts';
import { parseExactJson } from '../input/json.ts';
import { ValidationErrors } from '../input/validation-errors.ts';
import { documentReader } from './documents.ts';
import { type Kind, type KindName, kinds, type LineError, type Numbered } from './kinds.ts';
import { type Line, readLines } from './lines.ts';

export interface Progress {
  readonly lines: number;
  readonly changed: number;
  readonly faulty: number;
}

export interface ImportOptions {
  readonly em: EntityManager;
  readonly kind: KindName;
  readonly stream: AsyncIterable<Buffer>;
  /** Nothing goes in unless every line is good. */
  readonly strict: boolean;
  readonly onError: (error: LineError) => void;
  readonly onProgress: (progress: Progress) => void;
}

const batchSize = 1000;

/** Undoes a strict import. */
class FaultsFound extends Error {}

/** Reads documents, one a line, and saves them in batches; memory stays that of a batch. */
export async function runImport(options: ImportOptions): Promise<Progress> {
  const { em, strict } = options;
  if (!strict) return importLines(em, options);
  let progress: Progress = { lines: 0, changed: 0, faulty: 0 };
  try {
    await em.transactional(async tx => {
      progress = await importLines(tx, options);
      if (progress.faulty > 0) throw new FaultsFound();
    });
  } catch (error) {
    if (!(error instanceof FaultsFound)) throw error;
    progress = { ...progress, changed: 0 };
  }
  return progress;
}

async function importLines(em: EntityManager, options: ImportOptions): Promise<Progress> {
  const kind: Kind<unknown> = kinds[options.kind];
  const readDocument = lineReader(kind.inputType);
  let progress: Progress = { lines: 0, changed: 0, faulty: 0 };
  let batch: Batch = { lines: 0, documents: [], faulty: new Set() };
  const report = (faulty: Set<number>) => (error: LineError) => {
    faulty.add(error.line);
    options.onError(error);
  };
  const save = async ({ lines, documents, faulty }: Batch) => {
    // Two imports into the same stores can get in each other's way; in a strict one the whole would have to be done again.
    const saveOnce = () => kind.save(em, documents);
    const { changed, errors } = await (options.strict ? saveOnce() : retryTransaction(saveOnce));
    errors.forEach(report(faulty));
    progress = { lines, changed: progress.changed + changed, faulty: progress.faulty + faulty.size };
    options.onProgress(progress);
  };
  // One batch is saved while the next one is read.
  let saving = Promise.resolve();
  for await (const line of readLines(options.stream)) {
    const document = readDocument(line, report(batch.faulty));
    if (document !== undefined) batch.documents.push({ line: line.number, document });
    batch.lines = line.number;
    if (batch.documents.length < batchSize) continue;
    await saving;
    saving = save(batch);
    saving.catch(() => {});
    batch = { lines: line.number, documents: [], faulty: new Set() };
  }
  await saving;
  await save(batch);
  return progress;
}

interface Batch {
  /** How many lines have been read up to its end. */
  lines: number;
  readonly documents: Numbered<unknown>[];
  readonly faulty: Set<number>;
}

type LineReader = (line: Line, report: (error: LineError) => void) => unknown;

/** The same readers as for REST bodies: snake_case in, every error with its place. A blank line is no document. */
function lineReader(inputType: string): LineReader {
  const reader = documentReader(inputType);
  return ({ number, text }, report) => {
    if (text === undefined) {
      report({ line: number, error: { path: [], type: 'json_invalid', message: 'not UTF-8 text' } });
      return undefined;
    }
    if (text.trim() === '') return undefined;
    let value: unknown;
    try {
      value = parseExactJson(text);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      report({ line: number, error: { path: [], type: 'json_invalid', message } });
      return undefined;
    }
    const errors = new ValidationErrors();
    const document = reader.read(value, [], errors);
    for (const { loc, msg, type } of errors.list) report({ line: number, error: { path: loc, type, message: msg } });
    return errors.list.length > 0 ? undefined : document;
  };
}
