import { countries, type ICountry } from 'countries-list';
import type { Store } from './entities.ts';

const currencyCodes: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));

/** The main currency of each country, by its code of two letters and its names in English and in its own language. */
const currencyByCountry: ReadonlyMap<string, string | undefined> = new Map(
  Object.entries<ICountry>(countries).flatMap(([code, { native, alias = [], name, currency }]) =>
    [native, ...alias, name, code].map(word => [word.toLowerCase(), currency[0]] as const),
  ),
);

export function isCurrencyCode(text: string): boolean {
  return currencyCodes.has(text);
}

/** Returns the currency that was imported, or else that of the country; null if neither is known. */
export function currencyOf({ currency, country }: Pick<Store, 'currency' | 'country'>): string | null {
  return currency ?? currencyByCountry.get(country?.trim().toLowerCase() ?? '') ?? null;
}
