/** What a page selects of `Money`. */
interface Amount {
  readonly amount: number;
  /** Null if the currency is unknown. */
  readonly decimal: string | null;
}

export type PriceFormats = ReturnType<typeof createPriceFormats>;

/** Creates the formats of amounts; without a currency they have two decimals. */
export function createPriceFormats(locale: string, currency: string | null) {
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
