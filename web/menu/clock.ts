/** What a clock in a timezone shows at a moment, as a `datetime-local` field writes it: `2026-03-07T01:30`. */
export function wallTime(moment: Date, timezone: string | null): string {
  return formatter(timezone ?? 'UTC')
    .format(moment)
    .replace(' ', 'T');
}

/**
 * The moment that a text means: with a zone (`Z`, `+01:00`) any moment, without one the time on the store's own wall.
 * Undefined for a text that is no time.
 */
export function momentOf(text: string, timezone: string | null): Date | undefined {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text)) return undefined;
  if (/(?:Z|[+-]\d\d:\d\d)$/.test(text)) return valid(new Date(text));
  const wanted = valid(new Date(`${text.slice(0, 16)}Z`));
  if (!wanted) return undefined;
  // The offset depends on the moment, which depends on the offset: the second look settles it around clock changes.
  const first = shifted(wanted, wanted, timezone);
  return shifted(first, wanted, timezone);
}

function shifted(guess: Date, wanted: Date, timezone: string | null): Date {
  const shown = new Date(`${wallTime(guess, timezone)}Z`);
  return new Date(guess.getTime() + wanted.getTime() - shown.getTime());
}

function valid(date: Date): Date | undefined {
  return Number.isNaN(date.getTime()) ? undefined : date;
}

const fields = { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' } as const;

function formatter(timezone: string): Intl.DateTimeFormat {
  try {
    // Sweden writes dates and times as ISO 8601 does.
    return new Intl.DateTimeFormat('sv-SE', { ...fields, timeZone: timezone });
  } catch {
    // The graph, too, reads a timezone that it does not know as UTC.
    return new Intl.DateTimeFormat('sv-SE', { ...fields, timeZone: 'UTC' });
  }
}
