import { decimalOf, maxDecimals } from '../../store/currency.ts';
import type { Availability, TimePeriod } from '../availability.ts';
import type { Configuration } from '../configuration.ts';
import { type Named, nameOf } from '../diagnostics/messages.ts';
import type { MultilingualText } from '../entities.ts';
import { childrenOf, type KindName, kindOf } from '../kinds.ts';
import type { EntityChange, PlacementChange } from './changes.ts';
import { dayCodes, definitionOf, type FieldChange, isRewritten, periodsByDay } from './fields.ts';

/** What was changed, with its values as text; null where there is none. */
export interface DescribedField {
  readonly label: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** The changes of one entity: fields with two values, and facts that are a phrase. */
export interface Description {
  readonly fields: readonly DescribedField[];
  readonly facts: readonly string[];
}

interface DescribeOptions {
  readonly before: Configuration;
  readonly after: Configuration;
  /** The ISO 4217 code of all amounts; null if it is unknown. */
  readonly currency: string | null;
  /** Makes names and other posted texts fit for where they are shown; by default they stay as they are. */
  readonly formatText?: (text: string) => string;
}

/** Names in a list; what is beyond is counted. */
const maxNames = 6;

export type Describer = ReturnType<typeof createDescriber>;

/** Creates the functions that describe the changes between two configurations in English. */
export function createDescriber({ before, after, currency, formatText = text => text }: DescribeOptions) {
  const amounts = createAmountFormats(currency);
  const formatName = (entity: Named) => formatText(nameOf(entity));

  const nameById = (kind: KindName, externalId: string) =>
    formatName(after[kind].get(externalId) ?? before[kind].get(externalId) ?? { externalId });

  /** Formats a list of children; looks up only the names that are shown. */
  const formatChildren = (kind: KindName, ids: readonly string[]) => {
    const { children } = kindOf(kind);
    const shown = ids.slice(0, maxNames);
    return formatList(children ? shown.map(id => nameById(children.kind, id)) : shown, ids.length);
  };

  function formatValue(kind: KindName, { field, key }: FieldChange, value: unknown): string | null {
    if (value === null) return null;
    switch (definitionOf(kind, field)?.type) {
      case 'amount':
        return amounts.format(value as number);
      case 'amountChange':
        return amounts.formatChange(value as number);
      case 'externalId':
        return nameById('items', value as string);
      case 'externalIds':
        return formatChildren(kind, value as readonly string[]);
      case 'text':
        return key === null
          ? formatList(Object.keys((value as MultilingualText).translations).map(formatText))
          : formatText(value as string);
      case 'availability':
        return key === null
          ? formatText(formatHours(value as readonly Availability[]))
          : formatText(formatPeriods(value as readonly TimePeriod[]));
      default:
        if (typeof value === 'boolean') return value ? 'yes' : 'no';
        return Array.isArray(value) ? formatList(value) : formatText(String(value));
    }
  }

  function describeField(kind: KindName, change: FieldChange): DescribedField {
    return {
      label: formatText(labelOf(kind, change)),
      before: formatValue(kind, change, change.before),
      after: formatValue(kind, change, change.after),
    };
  }

  /** Describes the fields that have two values, with equal changes of several days as one. */
  function describeFields({ kind, fields }: EntityChange): readonly DescribedField[] {
    const described = fields
      .filter(change => !isFact(kind, change))
      .map(change => ({ ...describeField(kind, change), day: dayOf(kind, change) }));
    const groups = Map.groupBy(described, field => (field.day === null ? field : `${field.before} → ${field.after}`));
    return [...groups.values()].flatMap(group => {
      const days = group.flatMap(({ day }) => day ?? []);
      return group.slice(0, 1).map(({ label, before, after }) => {
        return { label: days.length > 0 ? formatText(`available ${formatDays(days)}`) : label, before, after };
      });
    });
  }

  function describeFacts(entity: EntityChange): readonly string[] {
    const { kind, fields } = entity;
    const facts = fields
      .filter(change => isFact(kind, change))
      .map(change => {
        if (change.field === 'inStock') return change.after ? 'back in stock' : 'sold out';
        return `new order of ${labelOf(kind, change)}: ${formatChildren(kind, change.after as readonly string[])}`;
      });
    return [...facts, ...describePlacements(entity)];
  }

  /** Describes where an entity was moved; the parent below which it is reported is not named again. */
  function describePlacements({ placements, path }: EntityChange): readonly string[] {
    const parentsOf = (kind: PlacementChange['change']) =>
      formatList(placements.flatMap(({ change, parent }) => (change === kind && parent ? [formatName(parent)] : [])));
    const has = (kind: PlacementChange['change']) => placements.some(({ change }) => change === kind);
    const within = placements
      .filter(({ change }) => change === 'MOVED')
      .map(({ parent, previous }) => {
        const position = previous ? `after ${formatName(previous)}` : 'to the top';
        const isShown = parent === null || parent.externalId === path.at(-1)?.externalId;
        return `moved ${position}${isShown ? '' : ` in ${formatName(parent)}`}`;
      });
    if (has('ADDED') && has('REMOVED'))
      return [`moved from ${parentsOf('REMOVED')} to ${parentsOf('ADDED')}`, ...within];
    if (has('ADDED')) return [`added to ${parentsOf('ADDED')}`, ...within];
    return has('REMOVED') ? [`removed from ${parentsOf('REMOVED')}`, ...within] : within;
  }

  /** Describes what a reader wants to know first about an entity that was added or removed. */
  function describeEntity({ kind: name, externalId }: EntityChange): readonly string[] {
    const entity = after[name].get(externalId) ?? before[name].get(externalId);
    if (!entity) return [];
    const children = childrenOf(kindOf(name), entity);
    return [
      ...('price' in entity ? [amounts.format(entity.price)] : []),
      ...('priceChange' in entity ? [amounts.formatChange(entity.priceChange)] : []),
      ...('availability' in entity ? [formatText(formatHours(entity.availability))] : []),
      ...('inStock' in entity && !entity.inStock ? ['sold out'] : []),
      ...(children.length > 0 ? [`with ${formatChildren(name, children)}`] : []),
    ];
  }

  function describe(change: EntityChange): Description {
    if (change.change !== 'CHANGED') return { fields: [], facts: describeEntity(change) };
    return { fields: describeFields(change), facts: describeFacts(change) };
  }

  return {
    describeField,
    describe,
    /** Describes a change on one line, e.g. `price €1.10 → €1.20; sold out`. */
    summarize(change: EntityChange): string {
      const { fields, facts } = describe(change);
      const values = fields.map(({ label, before, after }) => `${label} ${before ?? 'none'} → ${after ?? 'none'}`);
      return [...values, ...facts].join('; ');
    },
  };
}

/** Whether a change is told as a phrase instead of two values. */
function isFact(kind: KindName, { field, before, after }: FieldChange): boolean {
  if (before === null || after === null) return false;
  return field === 'inStock' || definitionOf(kind, field)?.type === 'externalIds';
}

function dayOf(kind: KindName, { field, key }: FieldChange): string | null {
  return definitionOf(kind, field)?.type === 'availability' ? key : null;
}

function labelOf(kind: KindName, change: FieldChange): string {
  const { field, key } = change;
  const { label = field, type } = definitionOf(kind, field) ?? {};
  if (key !== null) return type === 'text' ? `${label} (${key})` : `${label} ${key}`;
  if (!isRewritten(kind, change)) return label;
  return type === 'text' ? `order of the languages of the ${label}` : `${label} (only written differently)`;
}

/** Formats a list of names, of which the first are given; a long one is cut, with the number of the others. */
function formatList(names: readonly string[], count = names.length): string {
  if (count === 0) return 'none';
  if (count <= maxNames) return names.join(', ');
  return `${names.slice(0, maxNames - 1).join(', ')} and ${count - maxNames + 1} more`;
}

/** Creates the formats of amounts, which are integers in the smallest unit of the currency; without a currency they have two decimals. */
export function createAmountFormats(currency: string | null) {
  // Intl would round to the decimals in which prices are usually shown.
  const options: Intl.NumberFormatOptions = currency
    ? { style: 'currency', currency, maximumFractionDigits: maxDecimals }
    : { minimumFractionDigits: 2 };
  const format = new Intl.NumberFormat('en', options);
  const signed = new Intl.NumberFormat('en', { ...options, signDisplay: 'exceptZero' });
  const decimal = (amount: number) => decimalOf({ amount, currency: currency ?? '' }) as Intl.StringNumericLiteral;
  return {
    format: (amount: number) => format.format(decimal(amount)),
    /** With its sign, for an amount that is added to another one. */
    formatChange: (amount: number) => signed.format(decimal(amount)),
  };
}

/** Formats an availability, with days of equal hours together: `MON–FRI 08:00–11:30, SAT 09:00–12:30`. */
export function formatHours(availability: readonly Availability[]): string {
  const days = [...periodsByDay(availability)].map(([day, periods]) => ({ day, hours: formatPeriods(periods) }));
  const groups = [...Map.groupBy(days, ({ hours }) => hours)];
  return groups.map(([hours, group]) => `${formatDays(group.map(({ day }) => day))} ${hours}`).join(', ') || 'never';
}

function formatPeriods(periods: readonly TimePeriod[]): string {
  return periods.map(({ startTime, endTime }) => `${startTime}–${endTime}`).join(' and ');
}

/** Formats days in ascending order: `MON–WED, FRI`. */
function formatDays(days: readonly string[]): string {
  const runs: { readonly first: string; last: string }[] = [];
  for (const day of days) {
    const run = runs.at(-1);
    const next = run && dayCodes[dayCodes.indexOf(run.last) + 1];
    if (run && dayCodes.includes(run.last) && next === day) run.last = day;
    else runs.push({ first: day, last: day });
  }
  return runs.map(({ first, last }) => (first === last ? first : `${first}–${last}`)).join(', ');
}
