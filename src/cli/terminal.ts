import { styleText } from 'node:util';

/** Where a command writes: results to stdout, everything said beside them to stderr. */
export interface Terminal {
  out(text: string): void;
  say(text: string): void;
  /** One line that is written over by the next; nothing where stderr is no terminal. */
  progress(text: string): void;
}

export const terminal: Terminal = {
  out: text => void process.stdout.write(`${text}\n`),
  say: text => void process.stderr.write(`${process.stderr.isTTY ? '\r\x1b[K' : ''}${text}\n`),
  progress: text => {
    if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
  },
};

/** Colour only on a terminal. */
export function bold(text: string): string {
  return process.stdout.isTTY ? styleText('bold', text) : text;
}

/** Columns padded to their widest cell. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map(row => row[column]?.length ?? 0))) ?? [];
  return rows
    .map(row =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
