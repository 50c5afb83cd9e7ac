import type { DietaryLabel, GroupFragment } from '../../src/generated/web.ts';
import type { Menu } from './operations.ts';

/** An amount in the smallest unit, with two decimals: the interface does not say the currency. */
export function price(amount: number): string {
  return (amount / 100).toFixed(2).replace('-', '−');
}

/** What a selection adds to the price; nothing when it adds nothing. */
export function priceChange(amount: number): string {
  if (amount === 0) return '';
  return amount > 0 ? `+${price(amount)}` : price(amount);
}

export const dietaryLabels: Readonly<Record<DietaryLabel, string>> = {
  VEGAN: 'vegan',
  VEGETARIAN: 'vegetarian',
  GLUTEN_FREE: 'gluten-free',
};

/** How many selections a group asks for. */
export function rule({
  groupMin,
  groupMax,
  chargeAfter,
}: Pick<GroupFragment, 'groupMin' | 'groupMax' | 'chargeAfter'>) {
  const free = chargeAfter > 0 ? `, ${chargeAfter} free` : '';
  if (groupMin === groupMax) return `choose ${groupMax}${free}`;
  return groupMin > 0 ? `choose ${groupMin} to ${groupMax}${free}` : `up to ${groupMax}${free}`;
}

/** When a menu is on sale, days with equal hours taken together: `Mon–Fri 08:00–11:30, Sat 09:00–12:30`. */
export function hours(availability: Menu['availability']): string {
  const runs: { first: string; last: string; windows: string }[] = [];
  for (const { dayOfWeek, timePeriods } of availability) {
    const windows = timePeriods.map(({ startTime, endTime }) => `${startTime}–${endTime}`).join(' & ');
    const run = runs.at(-1);
    if (run?.windows === windows) run.last = day(dayOfWeek);
    else runs.push({ first: day(dayOfWeek), last: day(dayOfWeek), windows });
  }
  return runs.map(({ first, last, windows }) => `${first === last ? first : `${first}–${last}`} ${windows}`).join(', ');
}

/** `MON`, `monday` and `Monday` as `Mon`; what is no day as it was posted. */
function day(word: string): string {
  const short = word.slice(0, 3).toLowerCase();
  if (!['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'].includes(short)) return word;
  return `${short.charAt(0).toUpperCase()}${short.slice(1)}`;
}
