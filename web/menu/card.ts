import type { GroupFragment, ItemFragment } from '../../src/generated/web.ts';
import { element } from '../element.ts';
import type { Category, Menu, MenuCard } from './client.ts';
import { dietaryLabels, formatAvailability, formatPrice, formatPriceChange, formatRule } from './format.ts';

type Groups = ReadonlyMap<string, GroupFragment>;
type ModifierItem = GroupFragment['modifierItems'][number];

/** Renders the menus as a guest sees them, with links to each if there are several. */
export function renderCard({ menus, modifierGroups }: MenuCard): Node[] {
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
    element('p', { class: 'small', lang: 'en' }, formatAvailability(menu.availability)),
    ...menu.categories.map(category => renderCategory(category, groups)),
  );
}

function renderCategory({ externalId, name, description, items }: Category, groups: Groups): HTMLElement {
  return element(
    'section',
    { class: 'category' },
    element('h3', { dir: 'auto' }, name.text || externalId),
    ...renderParagraph('muted', description?.text),
    element('ul', {}, ...items.map(item => renderItem(item, groups))),
  );
}

function renderItem(item: ItemFragment, groups: Groups): HTMLElement {
  const groupsOfItem = item.modifierExternalIds.flatMap(id => groups.get(id) ?? []);
  return element(
    'li',
    { class: item.inStock ? 'item' : 'item sold-out' },
    element('h4', { dir: 'auto' }, item.name.text || item.externalId),
    element('span', { class: 'price' }, formatPrice(item.price)),
    ...renderParagraph('description', item.description?.text),
    ...renderParagraph('labels', labelsOf(item).join(' · '), 'en'),
    ...(groupsOfItem.length > 0 ? [renderGroups(groupsOfItem)] : []),
  );
}

function labelsOf({ inStock, sellSeparately, dietaryLabels: labels, alcoholByVolume, allergens }: ItemFragment) {
  return [
    ...(inStock ? [] : ['sold out']),
    ...(sellSeparately ? [] : ['only with something else']),
    ...(labels ?? []).map(label => dietaryLabels[label]),
    ...(alcoholByVolume ? [`${alcoholByVolume} % vol.`] : []),
    ...(allergens ? [`allergens: ${allergens}`] : []),
  ];
}

/** Renders modifier groups as collapsed details, whose content is created when they are first opened. */
function renderGroups(groups: readonly GroupFragment[]): HTMLElement {
  const names = groups.map(({ name, externalId }) => name.text || externalId).join(', ');
  const details = element('details', {}, element('summary', { dir: 'auto' }, names));
  details.addEventListener('toggle', () => details.append(...groups.map(renderGroup)), { once: true });
  return details;
}

function renderGroup(group: GroupFragment): HTMLElement {
  return element(
    'section',
    { class: 'group' },
    element('h5', { dir: 'auto' }, group.name.text || group.externalId),
    element('span', { class: 'small', lang: 'en' }, formatRule(group)),
    element('ul', {}, ...group.modifierItems.map(renderModifierItem)),
  );
}

function renderModifierItem({ name, externalId, priceChange, inStock, defaultQuantity }: ModifierItem): HTMLElement {
  const labels = [...(inStock ? [] : ['sold out']), ...(defaultQuantity > 0 ? ['included'] : [])];
  return element(
    'li',
    inStock ? {} : { class: 'sold-out' },
    element('span', { dir: 'auto' }, name.text || externalId),
    ...(labels.length > 0 ? [element('span', { class: 'small', lang: 'en' }, labels.join(', '))] : []),
    element('span', { class: 'price' }, formatPriceChange(priceChange)),
  );
}

function renderParagraph(className: string, text: string | null | undefined, language?: string): HTMLElement[] {
  if (!text) return [];
  return [element('p', { class: className, dir: 'auto', ...(language && { lang: language }) }, text)];
}

function nameOf({ name, externalId }: Menu): string {
  return name?.text || externalId;
}
