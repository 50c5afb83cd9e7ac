import { InvalidArgumentError } from 'commander';
import { parseDateTime } from '../input/datetime.ts';

/** Collects the values of a repeatable option. */
export function collect(value: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, value];
}

export function parseDate(text: string): Date {
  const date = parseDateTime(text);
  if (!date) throw new InvalidArgumentError('Expected a date such as 2027-01-31 or 2027-01-31T18:00:00Z.');
  return date;
}

export function parseInteger({
  min,
  max = 999_999_999,
}: {
  readonly min: number;
  readonly max?: number;
}): (text: string) => number {
  return text => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`Expected a whole number from ${min} to ${max}.`);
  };
}

/** Formats the examples at the end of `--help`. */
export function examples(...commands: readonly [string, ...string[]]): string {
  const title = commands.length > 1 ? 'Examples' : 'Example';
  return `\n${title}:\n${commands.map(command => `  ${command}`).join('\n')}`;
}
