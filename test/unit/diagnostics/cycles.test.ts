import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chain, cleanMenu, diagnoseAtOnce, group, large, plain, text } from './menu-builder.ts';

const findCycles = (configuration: Parameters<typeof diagnoseAtOnce>[0]) =>
  diagnoseAtOnce(configuration).filter(({ code }) => code === 'CIRCULAR_MODIFIER');

test('a cycle is reported with its items', () => {
  expect(findCycles(chain(4, 1)).map(({ message }) => message)).toEqual([
    'Modifier item "Add 1" leads back to itself ("Item 2" → "Item 3" → "Item 1" → "Item 2"), like 2 others.',
  ]);
});

test('an item that offers itself is a cycle', () => {
  expect(findCycles(chain(1, 0)).map(({ message }) => message)).toEqual([
    'Modifier item "Add 0" leads back to itself ("Item 0" → "Item 0").',
  ]);
});

test('a chain longer than the call stack is searched, and a long cycle is abbreviated', () => {
  expect(findCycles(chain(8_000))).toEqual([]);
  const names = '"Item 1" → "Item 2" → "Item 3" → "Item 4" → "Item 5" → "Item 6" → … → "Item 1"';
  expect(findCycles(chain(8_000, 0)).map(({ message }) => message)).toEqual([
    `Modifier item "Add 0" leads back to itself (${names}), like 7999 others.`,
  ]);
});

/** Six items and modifier items, and three groups, linked at random. */
const six = [0, 1, 2, 3, 4, 5];
const anyLinks = fc.record({
  groups: fc.array(fc.uniqueArray(fc.nat(2)), { minLength: 6, maxLength: 6 }),
  members: fc.array(fc.uniqueArray(fc.nat(5)), { minLength: 3, maxLength: 3 }),
  items: fc.array(fc.option(fc.nat(5)), { minLength: 6, maxLength: 6 }),
});

test('reports count exactly the modifier items on a cycle, as a naive search finds them', () => {
  fc.assert(
    fc.property(anyLinks, ({ groups, members, items }) => {
      const nextOf = (at: number) => (groups[items[at] ?? -1] ?? []).flatMap(group => members[group] ?? []);
      const reachedFrom = (start: number) => {
        const reached = new Set(nextOf(start));
        for (const at of reached) for (const next of nextOf(at)) reached.add(next);
        return reached;
      };
      const circular = six.filter(at => reachedFrom(at).has(at));

      const diagnostics = findCycles(
        cleanMenu({
          items: six.map(at =>
            plain({ externalId: `i${at}`, modifierGroupExternalIds: (groups[at] ?? []).map(String) }),
          ),
          modifierGroups: members.map((list, at) =>
            group({ externalId: String(at), modifierItemExternalIds: list.map(member => `m${member}`) }),
          ),
          modifierItems: six.map(at => {
            const item = items[at];
            return large({
              externalId: `m${at}`,
              name: text(`Add ${at}`),
              itemExternalId: typeof item === 'number' ? `i${item}` : null,
            });
          }),
        }),
      );
      const reported = diagnostics.map(({ path }) => Number(path[1]));
      const others = diagnostics.map(({ message }) => Number(message.match(/like (\d+) other/)?.[1] ?? 0));
      expect(circular).toEqual(expect.arrayContaining(reported));
      expect(reported.length + others.reduce((sum, count) => sum + count, 0)).toBe(circular.length);
    }),
  );
});
