import type { ValidationError } from '@carte/base/errors';
import { isPause } from '@carte/base/time-slice';
import { type ErrorPath, shorten } from '@carte/base/validation';
import { menuTextLimits } from '../limits.ts';
import { parseDay } from './availability.ts';
import { menuKinds } from './kinds.ts';
import type { Check } from './validate.ts';

/** Bounds language keys, how many a configuration has, and texts. */
export function* checkLanguages(configuration: Parameters<Check>[0]): ReturnType<Check> {
  const { languages: maxLanguages, characters: maxCharacters } = menuTextLimits;
  const languages = new Set<string>();
  let excess: ErrorPath | undefined;
  for (const { name } of menuKinds) {
    const entities: readonly PartialTexts[] = configuration[name] ?? [];
    for (const [index, entity] of entities.entries()) {
      for (const field of ['name', 'description'] as const) {
        const path = [name, index, field, 'translations'];
        const translations = entity?.[field]?.translations;
        let [keys, characters] = [0, 0];
        for (const key in translations) {
          if (isPause(keys++)) yield;
          characters += translations[key]?.length ?? 0;
          if (languages.has(key)) continue;
          languages.add(key);
          if (languages.size > maxLanguages) excess ??= path;
          yield* checkKey([...path, shorten(key)], key);
        }
        if (characters > maxCharacters) yield tooManyCharacters(path, characters);
      }
      for (const field of ['ingredients', 'allergensText', 'type'] as const) {
        const { length = 0 } = entity?.[field] ?? {};
        if (length > maxCharacters) yield tooManyCharacters([name, index, field], length);
      }
      if (isPause(index)) yield;
    }
  }
  if (!excess) return;
  const message = `The texts of the configuration have ${languages.size} languages; at most ${maxLanguages} are allowed`;
  yield { path: excess, type: 'too_long', message };
}

const tooManyCharacters = (path: ErrorPath, characters: number): ValidationError => {
  const message = `The text has ${characters} characters; at most ${menuTextLimits.characters} are allowed`;
  return { path, type: 'string_too_long', message };
};

type PartialTexts =
  | (Partial<Record<'ingredients' | 'allergensText' | 'type', string | null | undefined>> &
      Partial<
        Record<
          'name' | 'description',
          { readonly translations?: Readonly<Record<string, string | undefined>> | undefined } | null | undefined
        >
      >)
  | undefined;

function* checkKey(path: ErrorPath, key: string): Generator<ValidationError> {
  const { languageKey: max } = menuTextLimits;
  if (key.length <= max) return;
  const message = `The language key has ${key.length} characters; at most ${max} are allowed`;
  yield { path, type: 'string_too_long', message };
}

/** Bounds the days that a menu lists, and its time periods on one of them, however often it lists it. */
export function* checkPeriods({ menus = [] }: Parameters<Check>[0]): ReturnType<Check> {
  const { days: maxDays, periodsPerDay: max } = menuTextLimits;
  for (const [index, menu] of menus.entries()) {
    const { availability: days = [] } = menu ?? {};
    if (days.length > maxDays) {
      const message = `The menu lists ${days.length} days; at most ${maxDays} are allowed`;
      yield { path: ['menus', index, 'availability'], type: 'too_long', message };
    }
    const counts = new Map<string | number, number>();
    for (const [position, day] of days.entries()) {
      if (isPause(position)) yield;
      const name = day?.dayOfWeek ?? '';
      const id = parseDay(name) ?? name;
      const before = counts.get(id) ?? 0;
      const count = before + (day?.timePeriods?.length ?? 0);
      counts.set(id, count);
      if (before > max || count <= max) continue;
      const path = ['menus', index, 'availability', position, 'timePeriods'];
      const message = `The menu has ${count} time periods on ${JSON.stringify(shorten(name))}; at most ${max} are allowed`;
      yield { path, type: 'too_long', message };
    }
    if (isPause(index)) yield;
  }
}
