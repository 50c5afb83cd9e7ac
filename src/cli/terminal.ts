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
    if (!process.stderr.isTTY) return;
    // A line that wraps could not be overwritten. The width is 0 where it is unknown.
    const line = process.stderr.columns > 0 ? text.slice(0, process.stderr.columns - 1) : text;
    process.stderr.write(`\r\x1b[K${line}`);
  },
  milestone: text => (process.stderr.isTTY ? terminal.progress(text) : terminal.err(text)),
};

/** Applies to a TTY only, and respects NO_COLOR. */
export function styled(format: 'bold' | 'dim' | 'green' | 'red' | 'yellow', text: string): string {
  return styleText(format, text, { stream: process.stdout });
}

export function bold(text: string): string {
  return styled('bold', text);
}

/** Formats rows as columns, padded to their widest cells. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map(row => row[column]?.length ?? 0))) ?? [];
  const format = (row: readonly string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
  return rows.map(row => format(row).trimEnd()).join('\n');
}
