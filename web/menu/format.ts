import type { DietaryLabel, GroupFragment } from '../../src/generated/web.ts';
import type { Menu } from './client.ts';

/** Formats an amount in the smallest unit with two decimals, without a currency: the graph has none. */
export function formatPrice(amount: number): string {
  return (amount / 100).toFixed(2).replace('-', '−');
}

/** Formats a price change with its sign; empty for 0. */
export function formatPriceChange(amount: number): string {
  if (amount === 0) return '';
  return amount > 0 ? `+${formatPrice(amount)}` : formatPrice(amount);
}

export const dietaryLabels: Readonly<Record<DietaryLabel, string>> = {
  VEGAN: 'vegan',
  VEGETARIAN: 'vegetarian',
  GLUTEN_FREE: 'gluten-free',
};

/** Formats how many selections of a modifier group are required, allowed and free. */
export function formatRule({
  groupMin,
  groupMax,
  chargeAfter,
}: Pick<GroupFragment, 'groupMin' | 'groupMax' | 'chargeAfter'>) {
  const free = chargeAfter > 0 ? `, ${chargeAfter} free` : '';
  if (groupMin === groupMax) return `choose ${groupMax}${free}`;
  return groupMin > 0 ? `choose ${groupMin} to ${groupMax}${free}` : `up to ${groupMax}${free}`;
}

/** Formats an availability, with successive days of equal hours merged: `Mon–Fri 08:00–11:30, Sat 09:00–12:30`. */
export function formatAvailability(availability: Menu['availability']): string {
  const ranges: { first: string; last: string; windows: string }[] = [];
  for (const { dayOfWeek, timePeriods } of availability) {
    const windows = timePeriods.map(({ startTime, endTime }) => `${startTime}–${endTime}`).join(' & ');
    const day = formatDay(dayOfWeek);
    const range = ranges.at(-1);
    if (range?.windows === windows) range.last = day;
    else ranges.push({ first: day, last: day, windows });
  }
  return ranges
    .map(({ first, last, windows }) => `${first === last ? first : `${first}–${last}`} ${windows}`)
    .join(', ');
}

/** Formats `MON`, `monday` and `Monday` as `Mon`; returns unknown days as posted. */
function formatDay(dayOfWeek: string): string {
  const short = dayOfWeek.slice(0, 3).toLowerCase();
  if (!['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'].includes(short)) return dayOfWeek;
  return `${short.charAt(0).toUpperCase()}${short.slice(1)}`;
}
