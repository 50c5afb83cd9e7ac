import { readFileSync } from 'node:fs';
import { parse } from 'graphql';
import { OperatorError } from '../../errors.ts';
import { parseJson } from '../../input/json.ts';

/**
 * The documents of a manifest by their ids: a JSON object from SHA-256, in hexadecimal, to the text, as code generators
 * write it, or a persisted query manifest of Apollo's.
 */
export function readManifest(path: string): ReadonlyMap<string, string> {
  const errors: string[] = [];
  const documents = new Map<string, string>();
  for (const { id, text } of entriesOf(parseFile(path), errors)) {
    if (documents.has(id)) errors.push(`there is more than one document "${id}"`);
    const reason = reasonAgainst(text);
    if (reason) errors.push(`"${id}" ${reason}`);
    else documents.set(id, String(text));
  }
  if (errors.length > 0) throw new OperatorError(`${path} is no list of trusted documents:\n  ${errors.join('\n  ')}`);
  return documents;
}

interface Entry {
  readonly id: string;
  readonly text: unknown;
}

const apolloFormat = 'apollo-persisted-query-manifest';
const sha256 = /^[0-9a-f]{64}$/;

function entriesOf(manifest: unknown, errors: string[]): Entry[] {
  if (!isObject(manifest)) {
    errors.push('it holds no JSON object');
    return [];
  }
  if (manifest.format === apolloFormat) return apolloEntries(manifest, errors);
  const entries = Object.entries(manifest).map(([id, text]) => ({ id, text }));
  for (const { id } of entries) if (!sha256.test(id)) errors.push(`"${id}" is no SHA-256 in hexadecimal`);
  return entries;
}

function apolloEntries({ version, operations }: Readonly<Record<string, unknown>>, errors: string[]): Entry[] {
  if (version !== 1) errors.push(`its version is ${JSON.stringify(version)}; only 1 is understood`);
  if (!Array.isArray(operations)) errors.push('it has no list of operations');
  return (Array.isArray(operations) ? operations : []).flatMap((operation: unknown, index) => {
    if (isObject(operation) && typeof operation.id === 'string') return [{ id: operation.id, text: operation.body }];
    errors.push(`operation ${index} has no id`);
    return [];
  });
}

function reasonAgainst(text: unknown): string | undefined {
  if (typeof text !== 'string') return 'has no text';
  try {
    parse(text);
    return undefined;
  } catch (error) {
    return `is no GraphQL document: ${error instanceof Error ? error.message : error}`;
  }
}

function parseFile(path: string): unknown {
  try {
    return parseJson(readFileSync(path, 'utf8'));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new OperatorError(`The trusted documents in ${path} cannot be read: ${reason}`, { cause });
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
