/** Creates the formats of amounts, which are integers in the smallest unit of the currency; without a currency they have two decimals. */
export function createAmountFormats(currency: string | null) {
  const options: Intl.NumberFormatOptions = currency
    ? { style: 'currency', currency }
    : { minimumFractionDigits: 2, maximumFractionDigits: 2 };
  const format = new Intl.NumberFormat('en', options);
  const signed = new Intl.NumberFormat('en', { ...options, signDisplay: 'exceptZero' });
  const unit = 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2);
  return {
    format: (amount: number) => format.format(amount / unit),
    /** With its sign, for an amount that is added to another one. */
    formatChange: (amount: number) => signed.format(amount / unit),
  };
}
