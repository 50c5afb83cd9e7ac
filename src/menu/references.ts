import type { ValidationError } from '../errors.ts';
import type { Readable } from './check.ts';
import { linkedIds, menuKinds, nounOf } from './kinds.ts';

const longestExternalId = 255;

/** External ids: 1 to 255 characters, unique within their kind. */
export function* checkIdentifiers(configuration: Readable): Generator<ValidationError> {
  for (const { name, noun } of menuKinds) {
    const firstWith = new Map<string, number>();
    for (const [index, row] of (configuration[name] ?? []).entries()) {
      const externalId = row?.externalId;
      if (externalId === undefined) continue;
      const path = [name, index, 'externalId'];
      if (externalId === '') {
        yield { path, type: 'string_too_short', message: 'String should have at least 1 character' };
      } else if (isTooLong(externalId)) {
        yield { path, type: 'string_too_long', message: `String should have at most ${longestExternalId} characters` };
      }
      const first = firstWith.get(externalId);
      if (first === undefined) firstWith.set(externalId, index);
      else {
        const message = `external id ${JSON.stringify(externalId)} is already that of the ${noun} at index ${first}`;
        yield { path, type: 'duplicate_external_id', message };
      }
    }
  }
}

/** No text has more characters than units, so few have to be taken apart to be counted. */
const isTooLong = (text: string) => text.length > longestExternalId && [...text].length > longestExternalId;

/** Every reference names an entity of the same configuration, and no list names one twice. */
export function* checkReferences(configuration: Readable): Generator<ValidationError> {
  const ids = new Map(menuKinds.map(({ name }) => [name, idsOf(configuration[name])]));
  for (const kind of menuKinds) {
    if (!kind.links) continue;
    const { property, to } = kind.links;
    const rows: readonly (object | undefined)[] = configuration[kind.name] ?? [];
    for (const [index, row] of rows.entries()) {
      yield* checkList(linkedIds(kind, row), ids.get(to), nounOf(to), [kind.name, index, property]);
    }
  }
  const items = ids.get('items');
  for (const [index, row] of (configuration.modifierItems ?? []).entries()) {
    const id = row?.menuItemExternalId;
    if (id === null || id === undefined || !items || items.has(id)) continue;
    yield notFound(['modifierItems', index, 'menuItemExternalId'], 'item', id);
  }
}

function* checkList(
  ids: readonly (string | undefined)[],
  targets: ReadonlySet<string> | undefined,
  noun: string,
  path: readonly (string | number)[],
): Generator<ValidationError> {
  const firstWith = new Map<string, number>();
  for (const [position, id] of ids.entries()) {
    if (id === undefined) continue;
    const first = firstWith.get(id);
    if (first !== undefined) {
      const message = `external id ${JSON.stringify(id)} is already listed at index ${first}`;
      yield { path: [...path, position], type: 'duplicate_reference', message };
      continue;
    }
    firstWith.set(id, position);
    if (targets && !targets.has(id)) yield notFound([...path, position], noun, id);
  }
}

function notFound(path: readonly (string | number)[], noun: string, id: string): ValidationError {
  return { path, type: 'reference_not_found', message: `no ${noun} has the external id ${JSON.stringify(id)}` };
}

/** All that a reference can name; undefined if that cannot be told, because not all of them could be read. */
function idsOf(
  rows: readonly ({ readonly externalId?: string | undefined } | undefined)[] | undefined,
): ReadonlySet<string> | undefined {
  if (!rows) return undefined;
  const ids = new Set<string>();
  for (const row of rows) {
    if (row?.externalId === undefined) return undefined;
    ids.add(row.externalId);
  }
  return ids;
}
