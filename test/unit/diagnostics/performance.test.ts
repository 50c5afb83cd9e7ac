import { expect, test } from 'vitest';
import { category, diagnoseAtOnce, group, large, menu, plain } from './menu-builder.ts';

const range = (length: number) => Array.from({ length }, (_, index) => index);
const trilingual = (en: string) => ({ translations: { en, es: `${en} (es)`, pt: `${en} (pt)` } });

/** 10,000 entities with 40,000 links and 43,000 translations, or a share of them. */
function largeMenu(share = 1) {
  const [items, groups, modifierItems] = [4400, 1000, 4500].map(count => count * share) as [number, number, number];
  return {
    menus: [menu({ name: trilingual('All day'), categoryExternalIds: range(99).map(at => `c${at}`) })],
    categories: range(99).map(at => {
      const itemExternalIds = range(items)
        .filter(item => item % 99 === at)
        .map(item => `i${item}`);
      return category({ externalId: `c${at}`, name: trilingual(`Category ${at}`), itemExternalIds });
    }),
    items: range(items).map(at =>
      plain({
        externalId: `i${at}`,
        name: trilingual(`Item ${at}`),
        description: trilingual(`What item ${at} is made of, and how it is served`),
        modifierGroupExternalIds: range(5).map(offset => `g${(at + offset) % groups}`),
      }),
    ),
    modifierGroups: range(groups).map(at =>
      group({
        externalId: `g${at}`,
        name: trilingual(`Group ${at}`),
        modifierItemExternalIds: range(13).map(offset => `m${(at * 5 + offset) % modifierItems}`),
      }),
    ),
    modifierItems: range(modifierItems).map(at => large({ externalId: `m${at}`, name: trilingual(`Modifier ${at}`) })),
  };
}

/** The least CPU time of several diagnoses, in milliseconds. */
function timeOf(configuration: ReturnType<typeof largeMenu>): number {
  const times = range(4).map(() => {
    const before = process.threadCpuUsage();
    expect(diagnoseAtOnce(configuration)).toEqual([]);
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1000;
  });
  return Math.min(...times);
}

test('the time to diagnose 10,000 entities hardly grows faster than their number', () => {
  const quarter = timeOf(largeMenu(1 / 4));
  expect(timeOf(largeMenu()) / quarter).toBeLessThan(8);
});
