import { element } from '../element.ts';
import type { Presentation } from './card.ts';
import type { StoreDetails } from './client.ts';
import { formatLocalTime } from './local-time.ts';

const days = 14;
const millisecondsPerDay = 86_400_000;

/** Renders the special hours of the days from a time on, where there are some. */
export function renderSpecialHours(
  { specialHours, timezone }: Pick<StoreDetails, 'specialHours' | 'timezone'>,
  time: Date,
  { texts, format }: Presentation,
): Node[] {
  const dateIn = (count: number) =>
    formatLocalTime(new Date(time.getTime() + count * millisecondsPerDay), timezone).slice(0, 10);
  const shown = specialHours.filter(({ date }) => date >= dateIn(0) && date < dateIn(days));
  if (shown.length === 0) return [];
  const rows = shown.map(({ date, name, timePeriods }) =>
    element(
      'li',
      {},
      element('time', { datetime: date }, format.date(date)),
      ...(name ? [' (', element('bdi', {}, name), ')'] : []),
      ': ',
      timePeriods.length > 0 ? format.periods(timePeriods) : element('span', { lang: texts.language }, texts.closed),
    ),
  );
  return [element('ul', { class: 'special-hours small' }, ...rows)];
}
