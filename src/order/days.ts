const dayLength = 86_400_000;

/** The start of the UTC day that holds the instant. */
export const startOfDay = (instant: Date) => new Date(Math.floor(instant.getTime() / dayLength) * dayLength);

/** The start of the first UTC day that begins at the instant or later. */
export const nextStartOfDay = (instant: Date) => new Date(Math.ceil(instant.getTime() / dayLength) * dayLength);

/** The first instant after this one; instants are stored in milliseconds. */
export const nextInstant = (instant: Date) => new Date(instant.getTime() + 1);
