import type { ValidationError } from '../errors.ts';
import type { Readable } from './check.ts';

/** PostgreSQL's text holds neither NUL nor half a surrogate pair; both are named at their place instead. */
export function* checkTexts(configuration: Readable): Generator<ValidationError> {
  if (!isSound(configuration)) yield* checkValue(configuration, []);
}

/** Whether there is no flaw, which is nearly always: to look for places takes seven times as long. */
function isSound(value: unknown): boolean {
  if (typeof value === 'string') return flawOf(value) === undefined;
  if (Array.isArray(value)) return value.every(isSound);
  if (typeof value !== 'object' || value === null) return true;
  // Without a list of pairs for each of thousands of objects.
  for (const key in value) {
    if (flawOf(key) !== undefined || !isSound(value[key as keyof typeof value])) return false;
  }
  return true;
}

function* checkValue(value: unknown, path: readonly (string | number)[]): Generator<ValidationError> {
  if (typeof value === 'string') {
    const flaw = flawOf(value);
    if (flaw) yield { path, type: 'value_error', message: `Value error, the text has ${flaw}` };
  } else if (Array.isArray(value)) {
    for (const [index, element] of value.entries()) yield* checkValue(element, [...path, index]);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, element] of Object.entries(value)) {
      const flaw = flawOf(key);
      if (flaw)
        yield { path: [...path, key.toWellFormed()], type: 'value_error', message: `Value error, the key has ${flaw}` };
      yield* checkValue(element, [...path, key]);
    }
  }
}

function flawOf(text: string): string | undefined {
  if (text.includes('\0')) return 'a NUL character';
  if (!text.isWellFormed()) return 'half a surrogate pair';
  return undefined;
}
