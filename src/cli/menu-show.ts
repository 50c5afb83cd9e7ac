import type { CategoryNode, Configuration, MenuItemNode, ModifierGroupNode } from '../menu/configuration.ts';
import { nameOf } from '../menu/diagnostics/messages.ts';
import { createAmountFormats, formatHours } from '../menu/history/describe.ts';
import { pad, printable, styled, widthOf } from './terminal.ts';

/** Longer names are not aligned with the others. */
const maxNameWidth = 40;

/** Formats a configuration for a terminal, as a guest reads it; a category of several menus is shown in the first of them. */
export function formatMenu(configuration: Configuration, currency: string | null): string {
  const amounts = createAmountFormats(currency);
  const shown = new Set<CategoryNode>();

  function formatCategory(category: CategoryNode): string {
    const name = styled('bold', printable(nameOf(category)));
    if (shown.has(category)) return `  ${name} (see above)`;
    shown.add(category);
    return [`  ${name}`, ...formatItems(category.items)].join('\n');
  }

  function formatItems(items: readonly MenuItemNode[]): readonly string[] {
    const names = items.map(item => printable(nameOf(item)));
    const prices = items.map(({ price }) => amounts.format(price));
    const nameWidth = Math.max(...names.map(widthOf).filter(width => width <= maxNameWidth), 0);
    const priceWidth = Math.max(...prices.map(widthOf), 0);
    return items.flatMap((item, index) => {
      const [name = '', price = ''] = [names[index], prices[index]];
      const columns = [pad(name, nameWidth), price.padStart(priceWidth), labelsOf(item).join(', ')];
      return [`    ${columns.join('  ')}`.trimEnd(), ...item.modifierGroups.map(formatGroup)];
    });
  }

  function formatGroup({ groupMin, groupMax, modifierItems, ...group }: ModifierGroupNode): string {
    const options = modifierItems.map(({ priceChange, inStock, ...option }) => {
      const price = priceChange === 0 ? '' : ` ${amounts.formatChange(priceChange)}`;
      return `${printable(nameOf(option))}${price}${inStock ? '' : ' (sold out)'}`;
    });
    const rule = groupMin === groupMax ? groupMin : `${groupMin}–${groupMax}`;
    return styled('dim', `      ${printable(nameOf(group))} (choose ${rule}): ${options.join(' · ')}`);
  }

  const menus = [...configuration.menus.values()].map(menu => {
    const title = `${styled('bold', printable(nameOf(menu)))}  ${printable(formatHours(menu.availability))}`;
    return [title, ...menu.categories.map(formatCategory)].join('\n\n');
  });
  const categories = [...configuration.categories.values()].filter(category => !shown.has(category));
  const inCategories = new Set([...configuration.categories.values()].flatMap(({ items }) => items));
  const items = [...configuration.items.values()].filter(item => !inCategories.has(item));
  const sections = [
    ...menus,
    ...(categories.length > 0 ? [['On no menu', ...categories.map(formatCategory)].join('\n\n')] : []),
    ...(items.length > 0 ? [['In no category', ...formatItems(items)].join('\n')] : []),
  ];
  return sections.join('\n\n');
}

function labelsOf({ inStock, sellSeparately, dietaryLabels }: MenuItemNode): readonly string[] {
  const labels = (dietaryLabels ?? []).map(label => label.toLowerCase().replaceAll('_', ' '));
  return [...(inStock ? [] : ['sold out']), ...(sellSeparately ? [] : ['only with others']), ...labels];
}
