import stringWidth from 'string-width';

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
  return stringWidth(text);
}

/** Pads a text to a number of columns. */
export function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}

/** Formats rows as columns, padded to their widest cells. */
export function columns(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map(row => widthOf(row[column] ?? '')))) ?? [];
  const format = (row: readonly string[]) => row.map((cell, column) => pad(cell, widths[column] ?? 0)).join('  ');
  return rows.map(row => format(row).trimEnd()).join('\n');
}
