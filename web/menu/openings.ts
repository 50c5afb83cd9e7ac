import { element } from '../element.ts';
import { nameOf, type Presentation } from './card.ts';
import type { Menu, StoreDetails } from './client.ts';
import { formatLocalTime } from './local-time.ts';

/** When each menu is available next, by its external id. */
export type Openings = ReadonlyMap<string, Date | undefined>;

/** Sorts menus that are never available last. */
const never = Number.MAX_SAFE_INTEGER;

/** Renders, where no menu is available, when each of them is next, the first one first. */
export function renderOpenings(menus: readonly Menu[], openings: Openings, { texts, format }: Presentation): Node[] {
  const words = { lang: texts.language };
  if (menus.length === 0) return [element('p', words, texts.noMenus)];
  const upcoming = menus
    .map(menu => ({ menu, time: openings.get(menu.externalId) }))
    .sort((one, other) => (one.time?.getTime() ?? never) - (other.time?.getTime() ?? never));
  const [first] = upcoming;
  const heading = first?.time ? [element('h2', words, `${texts.nextOpening} `, timeOf(first.time))] : [];
  const rows = upcoming.map(({ menu, time }) =>
    element(
      'li',
      {},
      element('h3', { dir: 'auto' }, nameOf(menu)),
      ...(menus.length > 1 || !time
        ? [element('p', {}, time ? timeOf(time) : element('span', words, texts.never))]
        : []),
      element('p', { class: 'small' }, format.hours(menu.availability)),
    ),
  );
  return [element('section', { class: 'openings' }, ...heading, element('ul', {}, ...rows))];

  function timeOf(time: Date): HTMLElement {
    return element('time', { datetime: time.toISOString() }, format.dateTime(time));
  }
}

/** Renders why the store takes no orders now, or later ones, and until when. */
export function renderOrdering({ ordering }: Pick<StoreDetails, 'ordering'>, { texts, format }: Presentation): Node[] {
  const { state, until, delayMinutes, reason } = ordering;
  if (state === 'OPEN') return [];
  const end = until ? format.dateTime(new Date(until)) : '';
  const text = state === 'PAUSED' ? texts.paused(end) : texts.busy(delayMinutes ?? 0);
  return [
    element(
      'p',
      { class: 'ordering bad', dir: 'auto' },
      element('strong', { lang: texts.language }, text),
      ...(reason ? [' ', element('bdi', {}, reason)] : []),
    ),
  ];
}

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
