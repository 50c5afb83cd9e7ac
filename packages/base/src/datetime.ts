const pattern =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(\.\d+)?)?\s?([Zz]|[+-]\d{2}(?::?\d{2})?)?)?$/;

/** Parses a date or date-time of ISO 8601, also with a blank in place of `T`; undefined for any other text. */
export function parseDateTime(text: string): Date | undefined {
  const match = pattern.exec(text);
  if (!match) return undefined;
  const [, year, month, day, hour = '00', minute = '00', second = '00', fraction = '', zone = 'Z'] = match;
  const offset = zone.length === 3 ? `${zone}:00` : zone.length === 5 ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone;
  const instant = new Date(
    `${year}-${month}-${day}T${hour}:${minute}:${second}${fraction.slice(0, 4)}${offset.toUpperCase()}`,
  );
  if (Number.isNaN(instant.getTime())) return undefined;
  // Date rolls 30 February over to 2 March.
  const sameDay = new Date(`${year}-${month}-${day}T00:00:00Z`).getUTCDate() === Number(day);
  return sameDay ? instant : undefined;
}

const spaceBeforeOffset = /(:\d{2}(?:\.\d+)?) (\d{2}(?::?\d{2})?)$/;

/** Restores the `+` of an offset in a query string, which decodes to a space unless it is percent-encoded. */
export function restorePlus(text: string): string {
  return text.replace(spaceBeforeOffset, '$1+$2');
}
