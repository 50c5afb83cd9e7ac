import { createTimeFormat } from '../../menu/local-time.ts';
import { consoleLocale, type StoreContext } from '../session.ts';

const minuteMs = 60_000;
/** An order that is due within this time is shown as urgent. */
const soonMs = 5 * minuteMs;
const dayMs = 24 * 60 * minuteMs;

export type Urgency = 'late' | 'soon' | 'calm';

/** Creates the formats of times at a store, as its staff reads a clock. */
export function createTimes({ timezone }: Pick<StoreContext, 'timezone'>) {
  const create = (options: Intl.DateTimeFormatOptions) => createTimeFormat(consoleLocale, options, timezone);
  const clock = { hour: '2-digit', minute: '2-digit' } as const;
  const time = create(clock);
  const dateTime = create({ weekday: 'short', day: 'numeric', month: 'short', ...clock });
  const day = create({ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });
  const relative = new Intl.RelativeTimeFormat(consoleLocale, { numeric: 'always', style: 'narrow' });
  const present = new Intl.RelativeTimeFormat(consoleLocale, { numeric: 'auto' }).format(0, 'second');
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
      const minutes = Math.round((Date.parse(text) - now) / minuteMs);
      if (minutes === 0) return present;
      if (Math.abs(minutes) < 100) return relative.format(minutes, 'minute');
      const hours = Math.round(minutes / 60);
      return Math.abs(hours) < 48 ? relative.format(hours, 'hour') : relative.format(Math.round(hours / 24), 'day');
    },
    /** Until an order must be ready: `in 12 min`, `late 7 min`. */
    due(readyBy: string, now: number): string {
      const text = this.fromNow(readyBy, now);
      return text.endsWith(' ago') ? `late ${text.slice(0, -' ago'.length)}` : text;
    },
    urgency(readyBy: string, now: number): Urgency {
      const left = Date.parse(readyBy) - now;
      return left < 0 ? 'late' : left < soonMs ? 'soon' : 'calm';
    },
  };
}

export type Times = ReturnType<typeof createTimes>;
