/** A part of a response with the integer in place of each `{ amount }`. */
// biome-ignore lint/suspicious/noExplicitAny: the shape is what the tests assert
export function inMinorUnits(value: any): any {
  if (Array.isArray(value)) return value.map(inMinorUnits);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  if (entries.length === 1 && typeof value.amount === 'number') return value.amount;
  return Object.fromEntries(entries.map(([key, inner]) => [key, inMinorUnits(inner)]));
}
