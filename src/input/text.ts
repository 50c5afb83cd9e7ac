import { type Cursor, fail, type Read } from './cursor.ts';

/** A string that PostgreSQL can hold and JSON can carry. */
export const readString: Read = (value, at, depth) => {
  if (typeof value !== 'string') return fail(at, depth, 'string_type', 'Input should be a valid string');
  return checkText(value, at, depth) ? value : undefined;
};

/** Reports what no text may contain; true when there is nothing of it. */
export function checkText(text: string, at: Cursor, depth: number): boolean {
  if (text.includes('\0')) {
    fail(at, depth, 'value_error', 'Value error, the character U+0000 is not allowed');
    return false;
  }
  if (!text.isWellFormed()) {
    fail(at, depth, 'value_error', 'Value error, a lone surrogate is not a character');
    return false;
  }
  return true;
}
