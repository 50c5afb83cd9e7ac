import type { GroupFragment } from '../../src/generated/web.ts';
import { createHoursFormat } from './hours.ts';
import { localeOf } from './languages.ts';
import { createTimeFormat } from './local-time.ts';
import { createPriceFormats } from './price-formats.ts';
import type { Texts } from './texts.ts';

type Rule = Pick<GroupFragment, 'groupMin' | 'groupMax' | 'chargeAfter'>;

export interface FormatOptions {
  readonly locale: string;
  readonly texts: Texts;
  /** An ISO 4217 code; null if it is unknown. */
  readonly currency: string | null;
  readonly timezone: string | null;
}

export type Format = ReturnType<typeof createFormat>;

/** Creates the formats of amounts, rules and times in a locale. */
export function createFormat({ locale, texts, currency, timezone }: FormatOptions) {
  const count = new Intl.NumberFormat(locale);
  const percent = new Intl.NumberFormat(locale, { style: 'unit', unit: 'percent', maximumFractionDigits: 2 });
  // In a sentence of the texts, which may not be in the language of the menu.
  const localeOfTexts = localeOf(texts.language, [locale, ...navigator.languages]);
  const dateTime = createTimeFormat(localeOfTexts, { dateStyle: 'full', timeStyle: 'short' }, timezone);
  const date = new Intl.DateTimeFormat(locale, { weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' });
  return {
    ...createPriceFormats(locale, currency),
    alcohol: (percentage: number) => texts.alcohol(percent.format(percentage)),
    /** How many selections of a modifier group are required, allowed and free. */
    rule({ groupMin, groupMax, chargeAfter }: Rule): string {
      const [from, to] = [count.format(groupMin), count.format(groupMax)];
      const selections = groupMin > 0 || groupMax === 0 ? texts.choose(from, to) : texts.upTo(to);
      return chargeAfter > 0 ? `${selections}${texts.free(count.format(chargeAfter))}` : selections;
    },
    ...createHoursFormat(locale),
    /** A date such as `2026-12-24`, with its weekday. */
    date: (text: string) => date.format(new Date(text)),
    /** A time at the store, with its weekday. */
    dateTime: (date: Date) => dateTime.format(date),
  };
}
