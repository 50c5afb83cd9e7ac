import type { ValidationError } from '@carte/base/errors';
import type { EntityManager } from '@mikro-orm/postgresql';
import { retryTransaction } from '../database/query.ts';
import { createLineParser, readLines } from './documents.ts';
import { type Kind, type KindName, kinds } from './kinds.ts';

interface LineError {
  readonly line: number;
  readonly error: ValidationError;
}

export interface Progress {
  readonly lines: number;
  readonly bytes: number;
  readonly changed: number;
  readonly invalid: number;
}

interface ImportOptions {
  readonly em: EntityManager;
  readonly kind: KindName;
  readonly stream: AsyncIterable<Buffer>;
  /** Rolls everything back if any line is invalid. */
  readonly strict: boolean;
  readonly onError: (error: LineError) => void;
  readonly onUnknown?: (error: ValidationError) => void;
  readonly onProgress: (progress: Progress) => void;
}

interface Batch {
  readonly documents: unknown[];
  /** The number of each document's line. */
  readonly lineNumbers: number[];
  readonly errors: LineError[];
}

const createBatch = (): Batch => ({ documents: [], lineNumbers: [], errors: [] });
const nothing: Progress = { lines: 0, bytes: 0, changed: 0, invalid: 0 };
const batchSize = 1000;

/** Rolls back the transaction of a strict import. */
class StrictImportFailed extends Error {}

/** Imports NDJSON in batches, so that memory use does not grow with the stream. */
export async function runImport(options: ImportOptions): Promise<Progress> {
  const { em, strict } = options;
  if (!strict) return importLines(em, options);
  let progress = nothing;
  try {
    await em.transactional(async tx => {
      progress = await importLines(tx, options);
      if (progress.invalid > 0) throw new StrictImportFailed();
    });
  } catch (error) {
    if (!(error instanceof StrictImportFailed)) throw error;
    progress = { ...progress, changed: 0 };
  }
  return progress;
}

async function importLines(em: EntityManager, options: ImportOptions): Promise<Progress> {
  const kind: Kind = kinds[options.kind];
  const parseLine = createLineParser(kind.inputType);
  let progress = nothing;
  let batch = createBatch();
  let end = { lines: 0, bytes: 0 };
  const save = async (full: Batch, position: typeof end) => {
    // Concurrent imports into the same stores can deadlock. A strict import is one transaction, which a retry could not repeat.
    const saveOnce = () => kind.save(em, full.documents);
    const { changed, errors } = await (options.strict ? saveOnce() : retryTransaction(saveOnce));
    for (const { index, error } of errors) full.errors.push({ line: full.lineNumbers[index] ?? 0, error });
    full.errors.sort((one, other) => one.line - other.line);
    for (const error of full.errors) options.onError(error);
    const invalid = progress.invalid + new Set(full.errors.map(({ line }) => line)).size;
    progress = { ...position, changed: progress.changed + changed, invalid };
    options.onProgress(progress);
  };
  // Saves a batch while the next one is read.
  let saving = Promise.resolve();
  for await (const line of readLines(options.stream)) {
    const document = parseLine(line, {
      onError: error => batch.errors.push({ line: line.number, error }),
      onUnknown: options.onUnknown ?? (() => {}),
    });
    if (document !== undefined) {
      batch.documents.push(document);
      batch.lineNumbers.push(line.number);
    }
    end = { lines: line.number, bytes: line.end };
    if (batch.documents.length + batch.errors.length < batchSize) continue;
    await saving;
    saving = save(batch, end);
    // Awaited above or below; until then a rejection must not count as unhandled.
    saving.catch(() => {});
    batch = createBatch();
  }
  await saving;
  await save(batch, end);
  return progress;
}
