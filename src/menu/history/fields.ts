import { memoize } from '@carte/base/memoize';
import { isPause, type Steps } from '@carte/base/time-slice';
import { type Availability, dayNames, parseDay, parseTime, type TimePeriod } from '../availability.ts';
import type { ConfigurationRows } from '../configuration.ts';
import type { MultilingualText } from '../entities.ts';
import { byKind, type KindName } from '../kinds.ts';

/** A difference in one field, or in one language of a text, or on one day of an availability. */
export interface FieldChange {
  readonly field: string;
  /** The language of a text, or the day of an availability; null if the change is one of the whole value. */
  readonly key: string | null;
  /** Null if there was no value, or is none any more. */
  readonly before: unknown;
  readonly after: unknown;
}

/** How the values of a field are compared and described. */
type FieldType = 'text' | 'availability' | 'amount' | 'amountChange' | 'externalId' | 'externalIds' | 'value';

interface FieldDefinition {
  readonly type: FieldType;
  readonly label: string;
}

type OptionalText = MultilingualText | null;
type Hours = readonly Availability[] | null;

type FieldName<Kind extends KindName> = Exclude<keyof ConfigurationRows[Kind][number], 'numericId' | 'externalId'>;

const name: FieldDefinition = { type: 'text', label: 'name' };
const description: FieldDefinition = { type: 'text', label: 'description' };
const inStock: FieldDefinition = { type: 'value', label: 'in stock' };

/** Every field of each kind but its identifiers, in the order in which changes are reported. */
const definitions: { readonly [Kind in KindName]: Readonly<Record<FieldName<Kind>, FieldDefinition>> } = {
  menus: {
    name,
    availability: { type: 'availability', label: 'available' },
    categoryExternalIds: { type: 'externalIds', label: 'categories' },
  },
  categories: { name, description, itemExternalIds: { type: 'externalIds', label: 'items' } },
  items: {
    name,
    price: { type: 'amount', label: 'price' },
    tax: { type: 'amount', label: 'tax' },
    inStock,
    sellSeparately: { type: 'value', label: 'sold separately' },
    description,
    ingredients: { type: 'value', label: 'ingredients' },
    allergensText: { type: 'value', label: 'allergens' },
    dietaryLabels: { type: 'value', label: 'dietary labels' },
    alcoholByVolume: { type: 'value', label: 'alcohol (% by volume)' },
    preparationMinutes: { type: 'value', label: 'preparation time (minutes)' },
    preparationType: { type: 'value', label: 'preparation type' },
    modifierGroupExternalIds: { type: 'externalIds', label: 'modifier groups' },
  },
  modifierGroups: {
    name,
    type: { type: 'value', label: 'type' },
    groupMin: { type: 'value', label: 'minimum selections' },
    groupMax: { type: 'value', label: 'maximum selections' },
    chargeAfter: { type: 'value', label: 'free selections' },
    description,
    modifierItemExternalIds: { type: 'externalIds', label: 'modifier items' },
  },
  modifierItems: {
    name,
    priceChange: { type: 'amountChange', label: 'price' },
    taxChange: { type: 'amountChange', label: 'tax' },
    inStock,
    minQuantity: { type: 'value', label: 'minimum quantity' },
    maxQuantity: { type: 'value', label: 'maximum quantity' },
    defaultQuantity: { type: 'value', label: 'default quantity' },
    itemExternalId: { type: 'externalId', label: 'item' },
    description,
  },
};

export function definitionOf(kind: KindName, field: string): FieldDefinition | undefined {
  return (definitions[kind] as Readonly<Record<string, FieldDefinition>>)[field];
}

/** Whether a value only looks different: a text has its languages in another order, or an availability another spelling of the same hours. */
export function isRewritten(kind: KindName, { field, key, before, after }: FieldChange): boolean {
  const type = definitionOf(kind, field)?.type;
  return (type === 'text' || type === 'availability') && key === null && before !== null && after !== null;
}

const fieldsByKind = byKind(({ name }) => Object.entries<FieldDefinition>(definitions[name]));

/**
 * Compares two entities of a kind field by field; undefined is one that does not exist. The children of an entity that is in both
 * are not compared: those are changes of the children's placement. Texts are compared by language, and availabilities by day; the whole value is
 * reported if it is only written in another way.
 */
export function* compareFields(
  kind: KindName,
  before: object | undefined,
  after: object | undefined,
): Steps<FieldChange[]> {
  const changes: FieldChange[] = [];
  for (const [field, { type }] of fieldsByKind[kind]) {
    if (type === 'externalIds' && before && after) continue;
    const old = readField(before, field);
    const now = readField(after, field);
    if (type === 'text' ? isEqual(translationsOf(old), translationsOf(now)) : old === now) continue;
    const parts = yield* compareParts(type, old, now);
    if (parts.length === 0 && isEqual(old, now)) continue;
    if (parts.length > 0) changes.push(...parts.map(part => ({ field, ...part })));
    else changes.push({ field, key: null, before: old, after: now });
  }
  return changes;
}

function readField(entity: object | undefined, field: string): unknown {
  return (entity as Readonly<Record<string, unknown>> | undefined)?.[field] ?? null;
}

const translationsOf = (text: unknown) => (text as OptionalText)?.translations;

/** Compares values of JSON. The order of keys matters, too: the first language of a text is the fallback. */
function isEqual(one: unknown, other: unknown): boolean {
  if (one === other || !isObject(one) || !isObject(other)) return one === other;
  const keys = Object.keys(one);
  const others = Object.keys(other);
  return keys.length === others.length && keys.every((key, at) => key === others[at] && isEqual(one[key], other[key]));
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

function* compareParts(type: FieldType, before: unknown, after: unknown): Steps<readonly Omit<FieldChange, 'field'>[]> {
  if (type === 'text') {
    const textsOf = (text: unknown) => new Map(Object.entries(translationsOf(text) ?? {}));
    return yield* compareByKey(textsOf(before), textsOf(after), Object.is);
  }
  if (type !== 'availability') return [];
  const periodsOf = (hours: unknown) => periodsByDay((hours as Hours) ?? []);
  const isSame = (one: readonly TimePeriod[] | null, other: readonly TimePeriod[] | null) =>
    isEqual(one?.map(boundsOf), other?.map(boundsOf));
  const changes = yield* compareByKey(periodsOf(before), periodsOf(after), isSame);
  const ofDay = (day: string) => changes.filter(({ key }) => key === day);
  return [...dayCodes.flatMap(ofDay), ...changes.filter(({ key }) => !dayCodes.includes(key))];
}

/** Compares the values of each key; a missing one is null. */
function* compareByKey<Value>(
  old: ReadonlyMap<string, Value>,
  now: ReadonlyMap<string, Value>,
  isSame: (before: Value | null, after: Value | null) => boolean,
) {
  const changes: { key: string; before: Value | null; after: Value | null }[] = [];
  for (const [index, key] of [...new Set([...now.keys(), ...old.keys()])].entries()) {
    if (isPause(index)) yield;
    const [before, after] = [old.get(key) ?? null, now.get(key) ?? null];
    if (!isSame(before, after)) changes.push({ key, before, after });
  }
  return changes;
}

/** Spells `08:00` and `08:00:00` alike. */
function boundsOf({ startTime, endTime }: TimePeriod): readonly (string | number)[] {
  return [parseTime(startTime, 'start') ?? startTime, parseTime(endTime, 'end') ?? endTime];
}

export const dayCodes = dayNames.map(name => name.slice(0, 3).toUpperCase());

/** The time windows of each day, from the earliest on; days without any are left out, and unknown ones stay as posted. */
export const periodsByDay = memoize(
  (availability: readonly Availability[]): ReadonlyMap<string, readonly TimePeriod[]> => {
    const known: TimePeriod[][] = dayCodes.map(() => []);
    const unknown = new Map<string, TimePeriod[]>();
    for (const { dayOfWeek, timePeriods } of availability) {
      if (timePeriods.length === 0) continue;
      const day = parseDay(dayOfWeek);
      const ofDay = known[day ?? -1] ?? unknown.get(dayOfWeek) ?? [];
      if (day === undefined) unknown.set(dayOfWeek, ofDay);
      for (const period of timePeriods) ofDay.push(period);
    }
    const weekdays = dayCodes.map((day, at): [string, TimePeriod[]] => [day, known[at] ?? []]);
    return new Map(
      [...weekdays, ...unknown].filter(([, { length }]) => length > 0).map(([day, ofDay]) => [day, sortByStart(ofDay)]),
    );
  },
);

function sortByStart(periods: readonly TimePeriod[]): readonly TimePeriod[] {
  if (periods.length === 1) return periods;
  const started = periods.map(period => ({ period, start: parseTime(period.startTime, 'start') ?? 0 }));
  return started.sort((one, other) => one.start - other.start).map(({ period }) => period);
}

/** A difference between two lists; positions count from 0. */
export interface ListChange {
  readonly change: 'ADDED' | 'REMOVED' | 'MOVED';
  readonly externalId: string;
  readonly positionBefore: number | null;
  readonly position: number | null;
}

/** Compares two lists of distinct external ids in n log n; as few elements as possible count as moved. */
export function compareLists(before: readonly string[], after: readonly string[]): readonly ListChange[] {
  if (isSameList(before, after)) return [];
  const oldPositions = new Map(before.map((id, index) => [id, index]));
  const current = new Set(after);
  const common = after.filter(id => oldPositions.has(id));
  const unmoved = longestIncreasing(common.map(id => oldPositions.get(id) ?? 0));
  const moved = new Set(common.filter((_, index) => !unmoved.has(index)));
  return [
    ...after.flatMap((externalId, position): ListChange[] => {
      const positionBefore = oldPositions.get(externalId) ?? null;
      if (positionBefore === null) return [{ change: 'ADDED', externalId, positionBefore, position }];
      return moved.has(externalId) ? [{ change: 'MOVED', externalId, positionBefore, position }] : [];
    }),
    ...before.flatMap((externalId, positionBefore): ListChange[] =>
      current.has(externalId) ? [] : [{ change: 'REMOVED', externalId, positionBefore, position: null }],
    ),
  ];
}

function isSameList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((value, index) => value === other[index]);
}

/** Returns the indexes of a longest increasing subsequence of distinct numbers (patience sorting). */
function longestIncreasing(numbers: readonly number[]): ReadonlySet<number> {
  /** For each length, the index of the smallest number that ends a subsequence of that length. */
  const ends: number[] = [];
  const previous: number[] = [];
  for (const [index, number] of numbers.entries()) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((numbers[ends[middle] ?? 0] ?? 0) < number) low = middle + 1;
      else high = middle;
    }
    previous[index] = ends[low - 1] ?? -1;
    ends[low] = index;
  }
  const found = new Set<number>();
  for (let index = ends.at(-1) ?? -1; index >= 0; index = previous[index] ?? -1) found.add(index);
  return found;
}

/** Merges two lists: the later one, with elements that are only in the earlier one right after what preceded them there. */
export function mergeLists(before: readonly string[], after: readonly string[]): readonly string[] {
  if (isSameList(before, after)) return after;
  const current = new Set(after);
  const goneAfter = new Map<string | undefined, string[]>();
  let predecessor: string | undefined;
  for (const id of before) {
    const gone = goneAfter.get(predecessor);
    if (current.has(id)) predecessor = id;
    else if (gone) gone.push(id);
    else goneAfter.set(predecessor, [id]);
  }
  if (goneAfter.size === 0) return after;
  return [...(goneAfter.get(undefined) ?? []), ...after.flatMap(id => [id, ...(goneAfter.get(id) ?? [])])];
}
