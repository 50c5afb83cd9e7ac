import { parseJson } from '../input/json.ts';
import { JsonSyntaxError, readJson } from '../input/json-reader.ts';
import type { RequestError } from '../input/validation-errors.ts';
import { type Problem, unprocessable } from './errors.ts';
import { positionBeyond } from './scan.ts';

const deepest = 100;
const decoder = new TextDecoder('utf-8', { fatal: true });

/** The value of a JSON body. What cannot be read is 422 at the position where reading ended, as FastAPI has it. */
export function parseBody(bytes: Buffer): unknown {
  // Before parsing: a flood of brackets costs the parser two seconds in 10 MiB.
  const tooDeep = positionBeyond(bytes, deepest);
  if (tooDeep !== undefined) throw unreadable(tooDeep, `JSON decode error, nested deeper than ${deepest} levels`);
  const text = decode(bytes);
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw unreadable(errorPosition(text), 'JSON decode error');
  }
}

function unreadable(position: number, msg: string): Problem {
  const error: RequestError = { loc: ['body', position], msg, type: 'json_invalid' };
  return unprocessable([error]);
}

function decode(bytes: Buffer): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw unreadable(bytes.toString('utf8').indexOf('\uFFFD'), 'JSON decode error, not UTF-8');
  }
}

/** V8 does not always name the position, and FastAPI, whose users know it, has another one. */
function errorPosition(text: string): number {
  try {
    readJson(text, Number);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error.position;
    throw error;
  }
  throw new Error('A text that is not JSON was read');
}
