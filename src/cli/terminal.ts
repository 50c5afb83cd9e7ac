import { createRequire } from 'node:module';
import { styleText } from 'node:util';
import { parseDateTime } from '@carte/base/datetime';
import { InvalidArgumentError } from 'commander';

/** Output of the commands: results go to stdout, messages to stderr. */
export const terminal = {
  out(text: string): void {
    terminal.progress('');
    process.stdout.write(`${text}\n`);
  },
  err(text: string): void {
    terminal.progress('');
    process.stderr.write(`${text}\n`);
  },
  /** Shows a line that the next output overwrites; does nothing unless stderr is a TTY. */
  progress(text: string): void {
    if (!process.stderr.isTTY) return;
    // A line that wraps could not be overwritten. The width is 0 where it is unknown.
    const line = process.stderr.columns > 0 ? text.slice(0, process.stderr.columns - 1) : text;
    process.stderr.write(`\r\x1b[K${line}`);
  },
  /** Shows progress on a TTY, and prints a line elsewhere. */
  milestone: (text: string): void => (process.stderr.isTTY ? terminal.progress(text) : terminal.err(text)),
};

/** Applies to a TTY only, and respects NO_COLOR. */
export function styled(format: 'bold' | 'dim' | 'green' | 'red' | 'yellow', text: string): string {
  return styleText(format, text, { stream: process.stdout });
}

/** Letters that are written from right to left, and the characters that control the direction of a text. */
const rightToLeft =
  /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}\u200f\u202a-\u202e\u2066-\u2069]/u;

/**
 * Makes a posted text safe for one line of a terminal: line breaks become spaces, and control characters, which could be commands to
 * the terminal, are replaced. Text from right to left is isolated, so that it does not reorder what is around it.
 */
export function printable(text: string): string {
  const line = text
    .trim()
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\p{Cc}/gu, '\ufffd');
  return rightToLeft.test(line) ? `\u2068${line}\u2069` : line;
}

/** The number of columns that a text takes: two for each ideograph, none for marks. */
export function widthOf(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  // Loaded where it is needed: the sets of characters that it prepares take 30 ms, and each command would wait for them.
  const { default: stringWidth } = require('string-width') as typeof import('string-width');
  return stringWidth(text);
}

const require = createRequire(import.meta.url);

/** Pads a text to a number of columns. */
export function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}

/** Formats rows as columns, padded to their widest cells. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map(row => widthOf(row[column] ?? '')))) ?? [];
  const format = (row: readonly string[]) => row.map((cell, column) => pad(cell, widths[column] ?? 0)).join('  ');
  return rows.map(row => format(row).trimEnd()).join('\n');
}

/** Collects the values of a repeatable option. */
export function collect(value: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, value];
}

/** Parses a list of values that are separated by commas, each by its name. */
export function parseList<T>(values: readonly T[], nameOf: (value: T) => string): (list: string) => readonly T[] {
  return list =>
    list.split(',').map(name => {
      const value = values.find(candidate => nameOf(candidate) === name.trim());
      if (value !== undefined) return value;
      throw new InvalidArgumentError(`"${name}" is not one of ${values.map(nameOf).join(', ')}.`);
    });
}

export function parseDate(text: string): Date {
  const date = parseDateTime(text);
  if (!date) throw new InvalidArgumentError('Expected a date such as 2027-01-31 or 2027-01-31T18:00:00Z.');
  return date;
}

export function parseInteger(min: number, max = 999_999_999): (text: string) => number {
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
