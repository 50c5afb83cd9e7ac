import { styleText } from 'node:util';

/** Where a command writes: results to stdout, everything said beside them to stderr. */
export interface Terminal {
  out(text: string): void;
  say(text: string): void;
  /** One line that is written over by the next; nothing where stderr is no terminal. */
  progress(text: string): void;
}

export const terminal: Terminal = {
  out: text => {
    terminal.progress('');
    process.stdout.write(`${text}\n`);
  },
  say: text => {
    terminal.progress('');
    process.stderr.write(`${text}\n`);
  },
  progress: text => {
    if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
  },
};

/** On a terminal alone, and not against NO_COLOR. */
export function bold(text: string): string {
  return styleText('bold', text, { stream: process.stdout });
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
