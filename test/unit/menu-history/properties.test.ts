import { runAtOnce } from '@carte/base/time-slice';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Configuration } from '../../../src/menu/configuration.ts';
import type { EntityChange, MenuChanges, PlacementChange } from '../../../src/menu/history/changes.ts';
import { compareFields, type FieldChange } from '../../../src/menu/history/fields.ts';
import { type ConfigurationInput, childrenOf, type KindName, menuKinds } from '../../../src/menu/kinds.ts';
import { compareAtOnce, configurationOf } from './configurations.ts';

const word = fc.constantFrom('', 'a', 'b', 'constructor', '__proto__', 'خبز');
const texts = fc.record({ translations: fc.dictionary(word, word, { maxKeys: 2 }) });
const integer = fc.integer({ min: 0, max: 2 });
const time = fc.constantFrom('08:00', '08:00:00', '24:00', 'noon');
const availability = fc.array(
  fc.record({
    dayOfWeek: fc.constantFrom('MON', 'monday', 'SUN', 'someday'),
    timePeriods: fc.array(fc.record({ startTime: time, endTime: time }), { maxLength: 2 }),
  }),
  { maxLength: 2 },
);

/** A list of entities with distinct ids, in any order. */
const listOf = <T extends object>(size: number, properties: fc.Arbitrary<T>) =>
  fc
    .shuffledSubarray(Array.from({ length: size }, (_, index) => `${index}`))
    .chain(ids => fc.tuple(...ids.map(externalId => properties.map(values => ({ externalId, ...values })))));
const linked = <T extends object>(
  children: readonly { externalId: string }[],
  name: string,
  properties: fc.Arbitrary<T>,
) =>
  fc
    .tuple(fc.shuffledSubarray(children.map(({ externalId }) => externalId)), properties)
    .map(([ids, values]) => ({ ...values, [name]: ids }));

/** Any configuration that can be stored, with few entities and values, so that two of them have much in common. */
const configuration = listOf(
  9,
  fc.record({ name: texts, priceChange: integer, inStock: fc.boolean(), itemExternalId: fc.option(word) }),
)
  .chain(modifierItems => {
    const group = fc.record({ name: texts, groupMax: integer, type: word });
    const groups = listOf(2, linked(modifierItems, 'modifierItemExternalIds', group));
    return fc.record({ modifierItems: fc.constant(modifierItems), modifierGroups: groups });
  })
  .chain(lists => {
    const item = fc.record({
      name: texts,
      description: fc.option(texts),
      price: integer,
      ingredients: fc.option(word),
    });
    const items = listOf(3, linked(lists.modifierGroups, 'modifierGroupExternalIds', item));
    return fc.record({ ...constants(lists), items });
  })
  .chain(lists => {
    const categories = listOf(3, linked(lists.items, 'itemExternalIds', fc.record({ name: texts })));
    return fc.record({ ...constants(lists), categories });
  })
  .chain(lists => {
    const menu = fc.record({ name: fc.option(texts), availability });
    return fc.record({ ...constants(lists), menus: listOf(2, linked(lists.categories, 'categoryExternalIds', menu)) });
  })
  .map(lists => configurationOf(lists as unknown as ConfigurationInput));

function constants<T extends object>(lists: T) {
  return Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, fc.constant(list)])) as {
    [Name in keyof T]: fc.Arbitrary<T[Name]>;
  };
}

/** What a reader knows about an entity: its values by field and language or day, and its children in order. */
interface Known {
  readonly values: Map<string, unknown>;
  children: readonly string[];
}
type State = ReadonlyMap<KindName, Map<string, Known>>;

/** Leaves out how a text or an availability is written as a whole: the order of languages, another spelling of a day or time. */
function setValues({ values }: Known, changes: readonly FieldChange[]): void {
  for (const { field, key, after } of changes) {
    if (key === null && ['name', 'description', 'availability'].includes(field)) continue;
    if (after === null) values.delete(`${field} ${key}`);
    else values.set(`${field} ${key}`, JSON.stringify(after).replaceAll('08:00:00', '08:00'));
  }
}

function stateOf(configuration: Configuration): State {
  return new Map(
    menuKinds.map(kind => {
      const entities = [...configuration[kind.name]].map(([id, entity]): [string, Known] => {
        const known = { values: new Map<string, unknown>(), children: childrenOf(kind, entity) };
        const fields = runAtOnce(compareFields(kind.name, undefined, entity));
        setValues(
          known,
          fields.filter(({ field }) => field !== kind.children?.property),
        );
        return [id, known];
      });
      return [kind.name, new Map(entities)];
    }),
  );
}

/** Does what a reader could do who has the earlier configuration and the changes. */
function apply(before: Configuration, changes: readonly EntityChange[]): State {
  const state = stateOf(before);
  for (const { kind, externalId, change, fields } of changes) {
    const entities = state.get(kind);
    if (change === 'REMOVED') entities?.delete(externalId);
    if (change === 'ADDED') entities?.set(externalId, { values: new Map(), children: [] });
    const known = entities?.get(externalId);
    const property = menuKinds.find(({ name }) => name === kind)?.children?.property;
    if (known)
      setValues(
        known,
        fields.filter(({ field }) => field !== property),
      );
  }
  const placements = changes.flatMap(({ externalId, placements }) => placements.map(each => ({ externalId, ...each })));
  for (const kind of menuKinds) {
    for (const [id, known] of state.get(kind.name) ?? []) {
      const own = placements.filter(({ parent }) => parent?.kind === kind.name && parent.externalId === id);
      const change = changes.find(({ kind: name, externalId }) => name === kind.name && externalId === id);
      const list = change?.fields.find(({ field }) => field === kind.children?.property);
      known.children = (list?.after as readonly string[] | undefined) ?? applyToList(known.children, own);
    }
  }
  return state;
}

function applyToList(list: readonly string[], placements: readonly (PlacementChange & { externalId: string })[]) {
  const gone = new Set(placements.filter(({ change }) => change !== 'ADDED').map(({ externalId }) => externalId));
  const result = list.filter(id => !gone.has(id));
  const placed = placements.filter(({ position }) => position !== null);
  for (const { position, externalId } of placed.sort((one, other) => (one.position ?? 0) - (other.position ?? 0))) {
    result.splice(position ?? 0, 0, externalId);
  }
  return result;
}

const json = (configuration: Configuration) =>
  JSON.stringify(
    menuKinds.map(({ name }) => [...configuration[name].values()]),
    (key, value) => (key === 'configuration' ? undefined : value),
  );

test('there are no changes if and only if two configurations are equal', () => {
  fc.assert(
    fc.property(configuration, configuration, (before, after) => {
      const isUnchanged = (changes: MenuChanges) => changes.entities.length + changes.reordered.length === 0;
      expect(isUnchanged(compareAtOnce(before, structuredClone(before)))).toBe(true);
      expect(isUnchanged(compareAtOnce(before, after))).toBe(json(before) === json(after));
    }),
    { numRuns: 200 },
  );
});

test('the changes lead from one configuration to the other', () => {
  fc.assert(
    fc.property(configuration, configuration, (before, after) => {
      const { entities } = compareAtOnce(before, after);
      expect(apply(before, entities)).toEqual(stateOf(after));
      const menus = entities.flatMap(({ externalId, placements, kind }) =>
        kind === 'menus' ? placements.map(each => ({ externalId, ...each })) : [],
      );
      expect(applyToList([...before.menus.keys()], menus)).toEqual([...after.menus.keys()]);
    }),
    { numRuns: 200 },
  );
});

test('an entity is reported once, below one that contains it, or did', () => {
  fc.assert(
    fc.property(configuration, configuration, (before, after) => {
      const { entities } = compareAtOnce(before, after);
      expect(new Set(entities.map(({ kind, externalId }) => `${kind} ${externalId}`)).size).toBe(entities.length);
      for (const { externalId, path } of entities) {
        const parent = path.at(-1);
        const kind = menuKinds.find(({ name }) => name === parent?.kind);
        if (!kind || !parent) continue;
        const [old, now] = [before, after].map(({ [kind.name]: nodes }) =>
          childrenOf(kind, nodes.get(parent.externalId)),
        );
        expect([...(now ?? []), ...(old ?? [])]).toContain(externalId);
      }
    }),
    { numRuns: 100 },
  );
});
