import { readdirSync, readFileSync } from 'node:fs';
import type { ValidationError } from '@carte/base/errors';
import { parseExactJson } from '@carte/base/json';
import { ValidationErrors } from '@carte/base/validation';
import { compileReader } from '@carte/operations/input/reader';
import { buildSchema, GraphQLInputObjectType, type GraphQLSchema, isInputObjectType } from 'graphql';

const folder = new URL('../../schema/', import.meta.url);

let schema: GraphQLSchema | undefined;

function loadTypes(): GraphQLSchema {
  const files = [...readdirSync(folder).filter(file => file.endsWith('.graphql')), 'import/documents.graphql'];
  const text = files.map(file => readFileSync(new URL(file, folder), 'utf8')).join('\n');
  // The code generator checks it, and the first start saves 100 ms.
  return buildSchema(text, { assumeValidSDL: true });
}

/** Finds an input type of the graph or of schema/import by name. */
function inputTypeOf(name: string): GraphQLInputObjectType {
  schema ??= loadTypes();
  const type = schema.getType(name);
  if (!isInputObjectType(type)) throw new Error(`The schema has no input type ${name}`);
  return type;
}

/** The type of a menu in a file: that of a replacement, without what says where it is written. */
export function menuDocumentType(): GraphQLInputObjectType {
  const type = inputTypeOf('ReplaceMenuConfigurationInput').toConfig();
  const { storeId: _, expectedMenuRevision: __, ...fields } = type.fields;
  return new GraphQLInputObjectType({ ...type, fields });
}

interface Line {
  readonly number: number;
  /** Position in the stream after the line, in bytes. */
  readonly end: number;
  /** Undefined if the line is not valid UTF-8. */
  readonly text: string | undefined;
}

const newline = 0x0a;

/** Splits a stream into lines; buffers no more than the current line. */
export async function* readLines(stream: AsyncIterable<Buffer>): AsyncGenerator<Line> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const decode = (bytes: Buffer): string | undefined => {
    try {
      return decoder.decode(bytes);
    } catch {
      return undefined;
    }
  };
  let number = 0;
  let position = 0;
  let pending: Buffer[] = [];
  for await (const chunk of stream) {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      const tail = chunk.subarray(start, end);
      const text = decode(pending.length > 0 ? Buffer.concat([...pending, tail]) : tail);
      start = end + 1;
      yield { number: ++number, end: position + start, text };
      pending = [];
    }
    if (start < chunk.length) pending.push(chunk.subarray(start));
    position += chunk.length;
  }
  if (pending.length > 0) yield { number: ++number, end: position, text: decode(Buffer.concat(pending)) };
}

interface LineReports {
  readonly onError: (error: ValidationError) => void;
  /** A field that is unknown, and left out. */
  readonly onUnknown: (error: ValidationError) => void;
}

type ParseLine = (line: Line, reports: LineReports) => unknown;

/** Of these objects only the id is read, though routes return more. */
const references = new Set<unknown>(['store', 'merchant']);

/** Parses lines as JSON documents; returns undefined for a blank line and, after reporting every error, for an invalid one. */
export function createLineParser(inputType: string): ParseLine {
  // The same as for REST bodies, with snake_case names.
  const reader = compileReader(inputTypeOf(inputType));
  const strictReader = compileReader(inputTypeOf(inputType), { unknownFields: 'forbid' });
  return ({ text }, { onError, onUnknown }) => {
    const invalidJson = (message: string) => onError({ path: [], type: 'json_invalid', message });
    if (text === undefined) return void invalidJson('not UTF-8 text');
    if (text.trim() === '') return undefined;
    let value: unknown;
    try {
      value = parseExactJson(text);
    } catch (error) {
      return void invalidJson(error instanceof Error ? error.message : String(error));
    }
    const found = new ValidationErrors();
    const whole = strictReader.read(value, [], found);
    if (found.list.length === 0) return whole;
    for (const { loc, msg, type } of found.list) {
      const isIgnored = loc.length === 2 && references.has(loc[0]);
      if (type === 'extra_forbidden' && !isIgnored) onUnknown({ path: loc, type, message: msg });
    }
    // Not the same, since a reader stops at a limit of errors.
    const errors = new ValidationErrors();
    const document = reader.read(value, [], errors);
    for (const { loc, msg, type } of errors.list) onError({ path: loc, type, message: msg });
    return errors.list.length > 0 ? undefined : document;
  };
}
