import { createTimeFormat } from '../../menu/local-time.ts';
import { consoleLocale, type StoreContext } from '../session.ts';

const minuteMs = 60_000;
/** An order that is due within this time is shown as urgent. */
const soonMs = 5 * minuteMs;
const dayMs = 24 * 60 * minuteMs;

/** An order that is due after this time is shown apart. */
const scheduledMs = 4 * 60 * minuteMs;

export type Urgency = 'late' | 'soon' | 'calm';

/** Creates the formats of times at a store, as its staff reads a clock. */
export function createTimes({ timezone }: Pick<StoreContext, 'timezone'>) {
  const create = (options: Intl.DateTimeFormatOptions) => createTimeFormat(consoleLocale, options, timezone);
  const clock = { hour: '2-digit', minute: '2-digit' } as const;
  const time = create(clock);
  const dateTime = create({ weekday: 'short', day: 'numeric', month: 'short', ...clock });
  const day = create({ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });
  return {
    time: (text: string): string => time.format(new Date(text)),
    /** The day of a time: `Today`, `Yesterday` or its date. */
    day(text: string, now: number): string {
      const date = day.format(new Date(text));
      if (date === day.format(now)) return 'Today';
      return date === day.format(now - dayMs) ? 'Yesterday' : date;
    },
    /** A time, with its day unless that is near. */
    at(text: string, now: number): string {
      const date = new Date(text);
      return (Math.abs(date.getTime() - now) < dayMs / 2 ? time : dateTime).format(date);
    },
    /** In minutes, hours or days: `in 12 min`; `now` within half a minute. */
    fromNow(text: string, now: number): string {
      const minutes = minutesTo(text, now);
      if (minutes === 0) return 'now';
      return minutes > 0 ? `in ${describe(minutes)}` : `${describe(-minutes)} ago`;
    },
    /** Until an order must be ready: `in 12 min`, `late 1 h 15 min`. */
    due(readyBy: string, now: number): string {
      const minutes = minutesTo(readyBy, now);
      return minutes < 0 ? `late ${describe(-minutes)}` : this.fromNow(readyBy, now);
    },
    /** How long something has taken since: `12 min`. */
    since: (text: string, now: number): string => describe(Math.max(0, -minutesTo(text, now))),
    urgency(readyBy: string, now: number): Urgency {
      const left = Date.parse(readyBy) - now;
      return left < 0 ? 'late' : left < soonMs ? 'soon' : 'calm';
    },
    /** Whether an order is for later, so that nobody has to prepare it yet. */
    isScheduled: (readyBy: string, now: number): boolean => Date.parse(readyBy) - now > scheduledMs,
  };
}

const minutesTo = (text: string, now: number) => Math.round((Date.parse(text) - now) / minuteMs);

function describe(minutes: number): string {
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  if (hours === 0) return `${rest} min`;
  if (hours >= 48) return `${Math.round(hours / 24)} days`;
  return rest === 0 || hours >= 12 ? `${hours} h` : `${hours} h ${rest} min`;
}

export type Times = ReturnType<typeof createTimes>;
