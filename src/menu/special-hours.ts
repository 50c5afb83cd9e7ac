import { parseDateTime } from '@carte/base/datetime';
import { InvalidInput, type ValidationError } from '@carte/base/errors';
import { checkCount, checkLength, type ErrorPath, findUnstorable, maxErrors } from '@carte/base/validation';
import type { EntityManager } from '@mikro-orm/postgresql';
import { prepared, queryIn } from '../database/query.ts';
import type { SpecialHoursInput, TimePeriodInput } from '../generated/graph.ts';
import type { Store } from '../store/entities.ts';
import { parseTime } from './availability.ts';

const dateCount = { min: 0, max: 400 };
const periodCount = { min: 0, max: 24 };
const nameLength = { min: 0, max: 255 };

/** Replaces the special hours of a store; false if it no longer exists. Throws `InvalidInput` with every error. */
export async function setSpecialHours(
  em: EntityManager,
  { id }: Store,
  hours: readonly SpecialHoursInput[],
): Promise<boolean> {
  const tooMany = [...checkCount(['hours'], hours.length, dateCount)];
  const errors = tooMany.length > 0 ? tooMany : [...checkHours(hours)];
  if (errors.length > 0) throw new InvalidInput(errors.slice(0, maxErrors));
  const sorted = hours
    .map(({ date, name, timePeriods }) => ({ date, ...(name && { name }), timePeriods }))
    .sort((one, other) => (one.date < other.date ? -1 : 1));
  return (await queryIn(em)(statement, [id, sorted.length > 0 ? JSON.stringify(sorted) : null])).length > 0;
}

const statement = prepared(`
  with locked as materialized (select id from store where id = $1 for no key update),
  changed as (
    update store set special_hours = $2::json from locked
    where store.id = locked.id and special_hours::text is distinct from $2::text
  )
  select id from locked`);

function* checkHours(hours: readonly SpecialHoursInput[]): Generator<ValidationError> {
  const indexes = new Map<string, number>();
  for (const [index, { date, name, timePeriods }] of hours.entries()) {
    const path = ['hours', index];
    if (!/^\d{4}-\d\d-\d\d$/.test(date) || !parseDateTime(date)) {
      const message = `${JSON.stringify(date)} is not a date such as "2026-12-24"`;
      yield { path: [...path, 'date'], type: 'value_error', message };
    }
    const first = indexes.get(date);
    if (first === undefined) indexes.set(date, index);
    else yield { path: [...path, 'date'], type: 'value_error', message: `${date} is already at index ${first}` };
    yield* findUnstorable(name, [...path, 'name']);
    yield* checkLength([...path, 'name'], name, nameLength);
    yield* checkCount([...path, 'timePeriods'], timePeriods.length, periodCount);
    for (const [position, period] of timePeriods.entries()) {
      yield* checkPeriod(period, [...path, 'timePeriods', position]);
    }
  }
}

function* checkPeriod(period: TimePeriodInput, path: ErrorPath): Generator<ValidationError> {
  for (const role of ['start', 'end'] as const) {
    const text = period[`${role}Time`];
    if (parseTime(text, role) !== undefined) continue;
    const message = `${JSON.stringify(text)} is not a time such as "09:30"`;
    yield { path: [...path, `${role}Time`], type: 'value_error', message };
  }
}
