import type { CurrentMenuQuery } from '../../../src/generated/web.ts';
import { storeName } from '../../menu/languages.ts';
import type { Changes } from './changes.ts';

type CurrentMenu = Omit<NonNullable<CurrentMenuQuery['store']>, 'menuRevision'>;

/** The current configuration as it would be posted: with amounts as integers. */
export function toInputMenu({ items, modifierItems, ...lists }: CurrentMenu) {
  return {
    ...lists,
    items: items.map(item => ({ ...item, price: item.price.amount, tax: item.tax.amount })),
    modifierItems: modifierItems.map(({ priceChange, taxChange, ...item }) => {
      return { ...item, priceChange: priceChange.amount, taxChange: taxChange.amount };
    }),
  };
}
type EntityChange = Changes['entities'][number];
type JsonObject = Readonly<Record<string, unknown>>;

/** The lists of a configuration, with what can be posted of each entity. */
const kinds = {
  menus: 'MENU',
  categories: 'CATEGORY',
  items: 'ITEM',
  modifierGroups: 'MODIFIER_GROUP',
  modifierItems: 'MODIFIER_ITEM',
} as const satisfies Partial<Record<keyof CurrentMenu, EntityChange['kind']>>;
const lists = Object.keys(kinds) as (keyof typeof kinds)[];

/** What the history would show if this input, of whatever shape, replaced the menu; at most so many entities are listed. */
export function compareMenus(current: ReturnType<typeof toInputMenu>, input: unknown, maxShown = 200): Changes {
  const entities = lists.flatMap(list => compareList(kinds[list], current[list], isObject(input) ? input[list] : []));
  const counts = Map.groupBy(entities, ({ change }) => change.toLowerCase());
  return {
    totalCount: entities.length,
    pageInfo: { hasNextPage: entities.length > maxShown },
    summary: [...counts].map(([change, { length }]) => `${length} ${change}`).join(', ') || 'nothing',
    entities: entities.slice(0, maxShown),
  };
}

function compareList(kind: EntityChange['kind'], current: readonly JsonObject[], posted: unknown): EntityChange[] {
  const after = new Map(
    (Array.isArray(posted) ? posted : []).filter(isObject).map(entity => [String(entity.externalId), entity]),
  );
  const before = new Map(current.map(entity => [String(entity.externalId), entity]));
  return [...new Set([...before.keys(), ...after.keys()])].flatMap(externalId => {
    const [old, next] = [before.get(externalId), after.get(externalId)];
    const fields = old && next ? compareFields(old, next) : [];
    if (old && next && fields.length === 0) return [];
    const change = !old ? 'ADDED' : !next ? 'REMOVED' : 'CHANGED';
    const name = (next ?? old)?.name;
    const text = isObject(name) ? (storeName(name, navigator.languages) ?? null) : null;
    return { change, kind, externalId, name: { text }, path: [], parentCount: 0, placements: [], fields };
  });
}

/** Compares the fields that the interface has: others are ignored. */
function compareFields(before: JsonObject, after: JsonObject): EntityChange['fields'] {
  return Object.keys(before).flatMap(name => {
    const [old, next] = [textsOf(before[name]), textsOf(withDefault(name, after[name]))];
    return [...new Set([...Object.keys(old), ...Object.keys(next)])].flatMap(key => {
      const [beforeText = null, afterText = null] = [old[key], next[key]];
      return beforeText === afterText ? [] : { label: `${toWords(name)}${key && ` (${key})`}`, beforeText, afterText };
    });
  });
}

const withDefault = (name: string, value: unknown) => (name === 'inStock' ? (value ?? true) : value);

/** A value by language, or else without one; nothing for what is as if it were left out. */
function textsOf(value: unknown): Readonly<Record<string, string>> {
  if (value === null || value === undefined || (Array.isArray(value) && value.length === 0)) return {};
  if (isObject(value) && isObject(value.translations)) {
    return Object.fromEntries(Object.entries(value.translations).map(([language, text]) => [language, String(text)]));
  }
  return { '': typeof value === 'string' ? value : JSON.stringify(value) };
}

const toWords = (name: string) => name.replace(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`);
const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null;
