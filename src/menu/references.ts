import type { Fault } from '../errors.ts';
import type { Readable } from './check.ts';

const longestExternalId = 255;

const kinds = [
  { list: 'menus', noun: 'menu' },
  { list: 'categories', noun: 'category' },
  { list: 'items', noun: 'item' },
  { list: 'modifierGroups', noun: 'modifier group' },
  { list: 'modifierItems', noun: 'modifier item' },
] as const;

/** The lists of references: where they stand, and what they name. */
const references = [
  { list: 'menus', field: 'categoryExternalIds', target: 'categories', noun: 'category' },
  { list: 'categories', field: 'itemExternalIds', target: 'items', noun: 'item' },
  { list: 'items', field: 'modifierExternalIds', target: 'modifierGroups', noun: 'modifier group' },
  { list: 'modifierGroups', field: 'modifierItemExternalIds', target: 'modifierItems', noun: 'modifier item' },
] as const;

type Referring = {
  readonly [Field in (typeof references)[number]['field']]?: readonly (string | undefined)[] | null | undefined;
};

/** External ids: 1 to 255 characters, unique within their kind. */
export function* checkIdentifiers(configuration: Readable): Generator<Fault> {
  for (const { list, noun } of kinds) {
    const firstWith = new Map<string, number>();
    for (const [index, row] of (configuration[list] ?? []).entries()) {
      const externalId = row?.externalId;
      if (externalId === undefined) continue;
      const path = [list, index, 'externalId'];
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
export function* checkReferences(configuration: Readable): Generator<Fault> {
  const items = idsOf(configuration.items);
  for (const { list, field, target, noun } of references) {
    const targets = target === 'items' ? items : idsOf(configuration[target]);
    const rows: readonly (Referring | undefined)[] = configuration[list] ?? [];
    for (const [index, row] of rows.entries()) {
      yield* checkList(row?.[field] ?? [], targets, noun, [list, index, field]);
    }
  }
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
): Generator<Fault> {
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

function notFound(path: readonly (string | number)[], noun: string, id: string): Fault {
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
