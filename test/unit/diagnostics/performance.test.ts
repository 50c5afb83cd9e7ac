import { expect, test } from 'vitest';
import { diagnose } from '../../../src/menu/diagnostics/diagnose.ts';
import type { ConfigurationInput } from '../../../src/menu/kinds.ts';
import { category, cleanMenu, diagnoseAtOnce, group, large, menu, on, plain } from './menu-builder.ts';

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
function timeOf(configuration: ConfigurationInput, findings = 0): number {
  const times = range(4).map(() => {
    const before = process.threadCpuUsage();
    expect(diagnoseAtOnce(configuration)).toHaveLength(findings);
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1000;
  });
  return Math.min(...times);
}

test('the time to diagnose 10,000 entities hardly grows faster than their number', () => {
  const quarter = timeOf(largeMenu(1 / 4));
  expect(timeOf(largeMenu()) / quarter).toBeLessThan(8);
});

test('a long name is looked through once, however many findings quote it', () => {
  const name = { translations: { en: `${' '.repeat(1_000_000)}Soups` } };
  const withItems = (count: number) =>
    cleanMenu({
      categories: [category({ name, itemExternalIds: range(count).map(at => `i${at}`) })],
      items: range(count).map(at =>
        plain({
          externalId: `i${at}`,
          name: { translations: { en: `Item ${at}` } },
          description: null,
          price: at < count / 2 + 1 ? 100 : 90_000,
        }),
      ),
      modifierGroups: [],
      modifierItems: [],
    });
  const few = timeOf(withItems(8), 3);
  expect(timeOf(withItems(400), 199) / few).toBeLessThan(15);
});

test('the languages that a text lacks are named up to ten', () => {
  const languages = ['en', 'pt', 'es', 'fr', 'de', 'it', 'nl', 'pl', 'sv', 'da', 'fi', 'nb', 'cs'];
  const inAll = { translations: Object.fromEntries(languages.map(language => [language, 'Sopa'])) };
  const menus = range(3).map(at =>
    menu({ externalId: `m${at}`, name: at ? inAll : { translations: { en: 'Lunch' } } }),
  );
  const [found] = diagnoseAtOnce({ menus, items: [] }).filter(({ code }) => code === 'MISSING_TRANSLATION');
  expect(found?.message).toMatch(
    /^Menu "Lunch" has no name in Portuguese \(pt\), .*, Finnish \(fi\) and 2 other languages,/,
  );
});

test.each<[string, (count: number) => Partial<ConfigurationInput>]>([
  [
    'time periods of a menu',
    count => ({
      menus: [
        menu({
          availability: [
            { ...on('MON', '', ''), timePeriods: range(count).map(() => ({ startTime: '09:00', endTime: '10:00' })) },
          ],
        }),
      ],
    }),
  ],
  [
    'days of a menu',
    count => ({ menus: [menu({ availability: range(count).map(at => on(`day ${at}`, '09:00', '10:00')) })] }),
  ],
  [
    'items of a category',
    count => ({
      categories: [category({ itemExternalIds: range(count).map(at => `i${at}`) })],
      items: range(96).map(at => plain({ externalId: `i${at}` })),
    }),
  ],
  [
    'translations of a text',
    count => ({
      menus: [menu({ name: { translations: Object.fromEntries(range(count).map(at => [`x${at}`, '<b>'])) } })],
    }),
  ],
])('the check of the %s may stop between them', (_, overrides) => {
  const countSteps = (count: number) => {
    const steps = diagnose(cleanMenu(overrides(count)));
    let stepCount = 0;
    while (!steps.next().done) stepCount += 1;
    return stepCount;
  };
  expect(countSteps(96) - countSteps(1)).toBeGreaterThan(2);
});
