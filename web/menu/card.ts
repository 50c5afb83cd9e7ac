import type { GroupFragment, ItemFragment } from '../../src/generated/web.ts';
import { element } from '../element.ts';
import type { Category, Menu } from './client.ts';
import type { Format } from './format.ts';
import type { Texts } from './texts.ts';

type Groups = ReadonlyMap<string, GroupFragment>;
type ModifierItem = GroupFragment['modifierItems'][number];

export type PricedKind = 'items' | 'modifierItems';

/** The words and formats of the language that is shown. */
export interface Presentation {
  readonly texts: Texts;
  readonly format: Format;
  /** Renders a price, e.g. with a button that changes it. */
  readonly renderPrice?: (price: {
    readonly kind: PricedKind;
    readonly externalId: string;
    readonly name: string;
    /** Empty for a modifier item that does not change the price. */
    readonly text: string;
  }) => HTMLElement;
}

const renderText: NonNullable<Presentation['renderPrice']> = ({ text }) => element('span', { class: 'price' }, text);

/** Creates the function that renders a menu as a guest sees it: a section with an id for the menu and for each category. */
export function createMenuRenderer(modifierGroups: readonly GroupFragment[], presentation: Presentation) {
  const { texts, format, renderPrice = renderText } = presentation;
  const groups: Groups = new Map(modifierGroups.map(group => [group.externalId, group]));
  const words = { lang: texts.language, dir: 'auto' };

  function renderMenu(menu: Menu): HTMLElement {
    const id = `section/${menu.externalId}`;
    return element(
      'section',
      { id, class: 'menu' },
      element('h2', { dir: 'auto' }, nameOf(menu)),
      element('p', { class: 'small' }, format.hours(menu.availability) || texts.never),
      ...menu.categories.map(category => renderCategory(category, `${id}/${category.externalId}`)),
    );
  }

  function renderCategory({ externalId, name, description, items }: Category, id: string): HTMLElement {
    return element(
      'section',
      { id, class: 'category' },
      element('h3', { dir: 'auto' }, name.text || externalId),
      ...renderParagraph('muted', description?.text),
      element('ul', {}, ...items.map(renderItem)),
    );
  }

  function renderItem(item: ItemFragment): HTMLElement {
    const groupsOfItem = item.modifierGroupExternalIds.flatMap(id => groups.get(id) ?? []);
    return element(
      'li',
      { class: item.inStock ? 'item' : 'item sold-out' },
      element('h4', { dir: 'auto' }, nameOf(item)),
      renderPrice({
        kind: 'items',
        externalId: item.externalId,
        name: nameOf(item),
        text: format.price(item.price),
      }),
      ...renderParagraph('description', item.description?.text),
      ...renderLabels(item),
      ...renderAllergens(item),
      ...(groupsOfItem.length > 0 ? [renderGroups(groupsOfItem)] : []),
    );
  }

  function renderLabels({ inStock, sellSeparately, dietaryLabels, alcoholByVolume }: ItemFragment): HTMLElement[] {
    const labels = [
      ...(inStock ? [] : [{ class: 'unavailable', text: texts.soldOut }]),
      ...(sellSeparately ? [] : [{ class: 'plain', text: texts.onlyWithOthers }]),
      ...(dietaryLabels ?? []).map(label => ({ class: 'dietary', text: texts.dietaryLabels[label] })),
      ...(alcoholByVolume ? [{ class: 'plain', text: format.alcohol(alcoholByVolume) }] : []),
    ];
    if (labels.length === 0) return [];
    const rows = labels.map(label => element('li', { class: label.class, ...words }, label.text));
    return [element('ul', { class: 'labels' }, ...rows)];
  }

  /** A warning, which must not look like one of the labels that recommend an item. */
  function renderAllergens({ allergensText }: ItemFragment): HTMLElement[] {
    if (!allergensText) return [];
    const warning = element('strong', words, texts.contains);
    return [element('p', { class: 'allergens' }, warning, ' ', element('bdi', {}, allergensText))];
  }

  /** Renders modifier groups as collapsed details, whose content is created when they are first opened. */
  function renderGroups(groupsOfItem: readonly GroupFragment[]): HTMLElement {
    const names = groupsOfItem.map(({ name, externalId }) => name.text || externalId).join(' · ');
    const details = element('details', {}, element('summary', { dir: 'auto' }, names));
    details.addEventListener('toggle', () => details.append(...groupsOfItem.map(renderGroup)), { once: true });
    return details;
  }

  function renderGroup(group: GroupFragment): HTMLElement {
    return element(
      'section',
      { class: 'group' },
      element('h5', { dir: 'auto' }, group.name.text || group.externalId),
      // Unlike a margin, it is between them in whatever direction each is written.
      ' ',
      element('span', { class: 'small', ...words }, format.rule(group)),
      element('ul', {}, ...group.modifierItems.map(renderModifierItem)),
    );
  }

  function renderModifierItem(item: ModifierItem): HTMLElement {
    const { name, externalId, priceChange, inStock, defaultQuantity } = item;
    const labels = [...(inStock ? [] : [texts.soldOut]), ...(defaultQuantity > 0 ? [texts.included] : [])];
    return element(
      'li',
      inStock ? {} : { class: 'sold-out' },
      element('span', { dir: 'auto' }, name.text || externalId),
      ...(labels.length > 0 ? [element('span', { class: 'small', ...words }, labels.join(' · '))] : []),
      renderPrice({
        kind: 'modifierItems',
        externalId,
        name: nameOf(item),
        text: format.priceChange(priceChange),
      }),
    );
  }

  return renderMenu;
}

function renderParagraph(className: string, text: string | null | undefined): HTMLElement[] {
  return text ? [element('p', { class: className, dir: 'auto' }, text)] : [];
}

export function nameOf({ name, externalId }: Pick<Menu, 'name' | 'externalId'>): string {
  return name?.text || externalId;
}
