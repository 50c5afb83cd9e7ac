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

/** An amount in the smallest unit of a currency, which is null if it is unknown. */
export interface Money {
  readonly amount: number;
  readonly currency: string | null;
}

/**
 * The decimals that a currency has if not two, by ISO 4217. `Intl` has those of CLDR instead, in which prices are shown: none for HUF or IDR,
 * although their amounts have two.
 */
const decimals: ReadonlyMap<string, number> = new Map(
  Object.entries({
    0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
    3: 'BHD IQD JOD KWD LYD OMR TND',
    4: 'CLF UYW',
  }).flatMap(([count, codes]) => codes.split(' ').map(code => [code, Number(count)] as const)),
);

export const maxDecimals = Math.max(...decimals.values());

/** Writes an amount in units of its currency, exactly: `12.50`, `-0.60`, or `1250` if the currency has no decimals. */
export function decimalOf({ amount, currency }: Money & { readonly currency: string }): string {
  const count = decimals.get(currency) ?? 2;
  const digits = String(Math.abs(amount)).padStart(count + 1, '0');
  const units = `${amount < 0 ? '-' : ''}${digits.slice(0, digits.length - count)}`;
  return count === 0 ? units : `${units}.${digits.slice(-count)}`;
}
