import type { GroupFragment, ItemFragment } from '../../src/generated/web.ts';
import { element } from '../element.ts';
import { choices } from './choices.ts';
import type { Card, Category, Menu } from './operations.ts';
import { dietaryLabels, hours, price } from './words.ts';

type Groups = ReadonlyMap<string, GroupFragment>;

/** The menus as a guest reads them, with links to each when there are several. */
export function renderCard({ menus, modifierGroups }: Card): Node[] {
  const groups: Groups = new Map(modifierGroups.map(group => [group.externalId, group]));
  const sections = menus.map((menu, index) => renderMenu(menu, `menu-${index}`, groups));
  if (menus.length < 2) return sections;
  const links = menus.map((menu, index) => element('a', { href: `#menu-${index}` }, nameOf(menu)));
  return [element('nav', { 'aria-label': 'Menus', class: 'menus' }, ...links), ...sections];
}

function renderMenu(menu: Menu, id: string, groups: Groups): HTMLElement {
  return element(
    'section',
    { id, class: 'menu' },
    element('h2', { dir: 'auto' }, nameOf(menu)),
    element('p', { class: 'small', lang: 'en' }, hours(menu.availability)),
    ...menu.categories.map(category => renderCategory(category, groups)),
  );
}

function renderCategory({ externalId, name, description, items }: Category, groups: Groups): HTMLElement {
  return element(
    'section',
    { class: 'category' },
    element('h3', { dir: 'auto' }, name.text || externalId),
    ...paragraph('quiet', description?.text),
    element('ul', {}, ...items.map(item => renderItem(item, groups))),
  );
}

function renderItem(item: ItemFragment, groups: Groups): HTMLElement {
  const offered = item.modifierExternalIds.flatMap(id => groups.get(id) ?? []);
  return element(
    'li',
    { class: item.inStock ? 'item' : 'item sold-out' },
    element('h4', { dir: 'auto' }, item.name.text || item.externalId),
    element('span', { class: 'price' }, price(item.price)),
    ...paragraph('description', item.description?.text),
    ...paragraph('labels', notes(item).join(' · '), 'en'),
    ...(offered.length > 0 ? [choices(offered)] : []),
  );
}

function notes({ inStock, sellSeparately, dietaryLabels: labels, alcoholByVolume, allergens }: ItemFragment): string[] {
  return [
    ...(inStock ? [] : ['sold out']),
    ...(sellSeparately ? [] : ['only with something else']),
    ...(labels ?? []).map(label => dietaryLabels[label]),
    ...(alcoholByVolume ? [`${alcoholByVolume} % vol.`] : []),
    ...(allergens ? [`allergens: ${allergens}`] : []),
  ];
}

function paragraph(kind: string, text: string | null | undefined, language?: string): HTMLElement[] {
  if (!text) return [];
  return [element('p', { class: kind, dir: 'auto', ...(language && { lang: language }) }, text)];
}

function nameOf({ name, externalId }: Menu): string {
  return name?.text || externalId;
}
