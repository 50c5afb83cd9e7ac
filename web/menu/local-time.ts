/** Formats an instant in a timezone as `datetime-local` inputs do: `2026-03-07T01:30`. */
export function formatLocalTime(date: Date, timezone: string | null): string {
  // The Swedish locale formats as ISO 8601.
  return createTimeFormat('sv-SE', fields, timezone).format(date).replace(' ', 'T');
}

/** Parses a time with an offset (`Z`, `+01:00`), or else in the timezone of the store; undefined if it is not a time. */
export function parseLocalTime(text: string, timezone: string | null): Date | undefined {
  const match = /^(\d{4}-\d\d-\d\dT\d\d:\d\d)(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)?$/.exec(text);
  if (!match) return undefined;
  const [, minute = '', offset] = match;
  const asUtc = new Date(`${minute}Z`);
  // Dates such as 02-31 are read as days of the next month.
  if (Number.isNaN(asUtc.getTime()) || !asUtc.toISOString().startsWith(minute)) return undefined;
  if (offset) return validDate(new Date(text));
  // The offset depends on the instant and the instant on the offset: a second pass is exact around clock changes.
  const guess = adjust(asUtc, asUtc, timezone);
  return adjust(guess, asUtc, timezone);
}

/** Shifts a guess by the difference between its local time and the wanted one. */
function adjust(guess: Date, wanted: Date, timezone: string | null): Date {
  const local = new Date(`${formatLocalTime(guess, timezone)}Z`);
  return new Date(guess.getTime() + wanted.getTime() - local.getTime());
}

function validDate(date: Date): Date | undefined {
  return Number.isNaN(date.getTime()) ? undefined : date;
}

const fields = { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' } as const;

/** Creates the format of times at a store. As in the graph, an absent or unknown timezone is treated as UTC. */
export function createTimeFormat(
  locale: string,
  options: Intl.DateTimeFormatOptions,
  timezone: string | null,
): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat(locale, { ...options, timeZone: timezone ?? 'UTC' });
  } catch {
    return new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' });
  }
}
