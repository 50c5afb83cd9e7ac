import type { GroupFragment } from '../../src/generated/web.ts';
import { element } from '../element.ts';
import { priceChange, rule } from './words.ts';

type Selection = GroupFragment['modifierItems'][number];

/** The modifier groups of an item, folded away; what is inside is made when it is first opened. */
export function choices(groups: readonly GroupFragment[]): HTMLElement {
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
    element('span', { class: 'small', lang: 'en' }, rule(group)),
    element('ul', {}, ...group.modifierItems.map(renderSelection)),
  );
}

function renderSelection({ name, externalId, priceChange: change, inStock, defaultQuantity }: Selection): HTMLElement {
  const notes = [...(inStock ? [] : ['sold out']), ...(defaultQuantity > 0 ? ['included'] : [])];
  return element(
    'li',
    inStock ? {} : { class: 'sold-out' },
    element('span', { dir: 'auto' }, name.text || externalId),
    ...(notes.length > 0 ? [element('span', { class: 'small', lang: 'en' }, notes.join(', '))] : []),
    element('span', { class: 'price' }, priceChange(change)),
  );
}
