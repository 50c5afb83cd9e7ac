import type { Fault } from '../errors.ts';
import type { PostedConfiguration } from './check.ts';

/** PostgreSQL's text holds neither NUL nor half a surrogate pair; both are named at their place instead. */
export function* checkTexts(configuration: PostedConfiguration): Generator<Fault> {
  yield* checkValue(configuration, []);
}

function* checkValue(value: unknown, path: readonly (string | number)[]): Generator<Fault> {
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
