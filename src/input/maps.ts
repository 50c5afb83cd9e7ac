import { type Cursor, fail, isObject, type Read } from './cursor.ts';
import { checkText, readString } from './text.ts';

const deepest = 100;

/** A map whose values are strings. It is checked and given back as it came: its keys are data, `__proto__` too. */
export const readStringMap: Read = (value, at, depth) => {
  if (!isObject(value)) return fail(at, depth, 'dict_type', 'Input should be a valid dictionary');
  checkEntries(value, at, depth, readString);
  return value;
};

/** A JSON object of any shape, checked for what cannot be stored and given back as it came. */
export const readJsonObject: Read = (value, at, depth) => {
  if (!isObject(value)) return fail(at, depth, 'dict_type', 'Input should be a valid dictionary');
  checkEntries(value, at, depth, readJson);
  return value;
};

function checkEntries(map: Readonly<Record<string, unknown>>, at: Cursor, depth: number, read: Read): void {
  for (const key of Object.keys(map)) {
    if (at.errors.full) return;
    at.keys[depth] = key;
    if (checkText(key, at, depth + 1)) read(map[key], at, depth + 1);
  }
}

const readJson: Read = (value, at, depth) => {
  if (typeof value === 'string') return readString(value, at, depth);
  if (typeof value === 'number') {
    return Number.isFinite(value) ? value : fail(at, depth, 'finite_number', 'Input should be a finite number');
  }
  const items = Array.isArray(value) ? value : undefined;
  if (!items && !isObject(value)) return value;
  if (depth > deepest) return fail(at, depth, 'value_error', `Value error, nested deeper than ${deepest} levels`);
  if (items) checkItems(items, at, depth);
  else if (isObject(value)) checkEntries(value, at, depth, readJson);
  return value;
};

function checkItems(list: readonly unknown[], at: Cursor, depth: number): void {
  for (let index = 0; index < list.length && !at.errors.full; index++) {
    at.keys[depth] = index;
    readJson(list[index], at, depth + 1);
  }
}
