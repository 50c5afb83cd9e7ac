import { styleText } from 'node:util';

/** Output of the commands: results go to stdout, messages to stderr. */
export interface Terminal {
  out(text: string): void;
  err(text: string): void;
  /** Shows a line that the next output overwrites; does nothing unless stderr is a TTY. */
  progress(text: string): void;
  /** Shows progress on a TTY, and prints a line elsewhere. */
  milestone(text: string): void;
}

export const terminal: Terminal = {
  out: text => {
    terminal.progress('');
    process.stdout.write(`${text}\n`);
  },
  err: text => {
    terminal.progress('');
    process.stderr.write(`${text}\n`);
  },
  progress: text => {
    // A line that wraps could not be overwritten.
    if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text.slice(0, process.stderr.columns - 1)}`);
  },
  milestone: text => (process.stderr.isTTY ? terminal.progress(text) : terminal.err(text)),
};

/** Applies to a TTY only, and respects NO_COLOR. */
export function bold(text: string): string {
  return styleText('bold', text, { stream: process.stdout });
}

/** Formats rows as columns, padded to their widest cells. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map(row => row[column]?.length ?? 0))) ?? [];
  const format = (row: readonly string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
  return rows.map(row => format(row).trimEnd()).join('\n');
}
