import { InvalidArgumentError } from 'commander';
import { parseDateTime } from '../input/datetime.ts';

/** For an option that may be given several times. */
export function collect(value: string, previous: readonly string[]): readonly string[] {
  return [...previous, value];
}

export function parseDate(text: string): Date {
  const date = parseDateTime(text);
  if (!date) throw new InvalidArgumentError(`${text} is no date such as 2027-01-31 or 2027-01-31T18:00:00Z.`);
  return date;
}

/** Whole numbers from the least that makes sense. */
export function parseCount(least: number): (text: string) => number {
  return text => {
    const count = Number(text);
    if (/^\d{1,9}$/.test(text) && count >= least) return count;
    throw new InvalidArgumentError(`${text} is no whole number from ${least}.`);
  };
}
