import type { GroupFragment } from '../../src/generated/web.ts';
import { createHoursFormat } from './hours.ts';
import { localeOf } from './languages.ts';
import { createTimeFormat } from './local-time.ts';
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
  const { price, priceChange } = createPriceFormats(locale, currency);
  const count = new Intl.NumberFormat(locale);
  const percent = new Intl.NumberFormat(locale, { style: 'unit', unit: 'percent', maximumFractionDigits: 2 });
  // In a sentence of the texts, which may not be in the language of the menu.
  const localeOfTexts = localeOf(texts.language, [locale, ...navigator.languages]);
  const dateTime = createTimeFormat(localeOfTexts, { dateStyle: 'full', timeStyle: 'short' }, timezone);
  const date = new Intl.DateTimeFormat(locale, { weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' });
  return {
    price,
    priceChange,
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

/** What a page selects of `Money`. */
interface Amount {
  readonly amount: number;
  /** Null if the currency is unknown. */
  readonly decimal: string | null;
}

/** Without a currency, amounts have two decimals. */
function createPriceFormats(locale: string, currency: string | null) {
  // Intl would round to the decimals in which prices are usually shown; no currency has more than four.
  const options: Intl.NumberFormatOptions = currency
    ? { style: 'currency', currency, maximumFractionDigits: 4 }
    : { minimumFractionDigits: 2, maximumFractionDigits: 2 };
  const format = new Intl.NumberFormat(locale, options);
  const signed = new Intl.NumberFormat(locale, { ...options, signDisplay: 'exceptZero' });
  const toNumeric = ({ amount, decimal }: Amount) => (decimal as Intl.StringNumericLiteral | null) ?? amount / 100;
  return {
    price: (money: Amount) => format.format(toNumeric(money)),
    /** With its sign; empty for 0. */
    priceChange: (money: Amount) => (money.amount === 0 ? '' : signed.format(toNumeric(money))),
  };
}
