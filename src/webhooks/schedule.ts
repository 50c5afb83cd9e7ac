const firstDelaySeconds = 5;
const factor = 3;
/** So that an endpoint that has recovered gets what it missed within an hour. */
const maxDelaySeconds = 3600;
/** Each delay is longer or shorter by up to this share, so that the queues of an endpoint do not retry at the same time. */
const jitter = 0.2;

/** A queue that fails for longer pauses its webhook, or gives up its event. Shorter than the log is kept by default. */
export const maxFailureMs = 3 * 24 * 3600 * 1000;

/** Seconds until the next attempt after a number of failed ones: 5, 15, 45, … up to an hour, or longer if the response asks for it. */
export function retryDelaySeconds(
  attempts: number,
  retryAfterSeconds: number | null,
  random: () => number = Math.random,
): number {
  const delay = Math.min(firstDelaySeconds * factor ** (attempts - 1), maxDelaySeconds);
  const spread = delay * (1 - jitter + 2 * jitter * random());
  return Math.max(spread, Math.min(retryAfterSeconds ?? 0, maxDelaySeconds));
}
