import { html, nothing, type TemplateResult } from 'lit-html';
import type { MenuChangesQuery } from '../../../src/generated/web.ts';

export type Changes = NonNullable<NonNullable<MenuChangesQuery['store']>['menuChanges']>;
type EntityChange = Changes['entities'][number];
type Placement = EntityChange['placements'][number];

const kinds: Readonly<Record<EntityChange['kind'], string>> = {
  MENU: 'menu',
  CATEGORY: 'category',
  ITEM: 'item',
  MODIFIER_GROUP: 'modifier group',
  MODIFIER_ITEM: 'modifier item',
};

/** Renders the differences of two revisions, in the order of the menu: each entity with its place, and its fields before and after. */
export function renderChanges({ entities, totalCount, pageInfo }: Changes): TemplateResult {
  if (totalCount === 0) return html`<p class="small">No entity differs; at most their order does.</p>`;
  return html`
    <ul class="changes">${entities.map(renderEntity)}</ul>
    ${pageInfo.hasNextPage ? html`<p class="small">and ${totalCount - entities.length} more</p>` : nothing}`;
}

function renderEntity(entity: EntityChange): TemplateResult {
  const { change, kind, path, parentCount, fields, placements } = entity;
  const place = path.map(nameOf).join(' › ');
  return html`
    <li class=${change.toLowerCase()}>
      <p>
        <span class="change-kind">${change.toLowerCase()}</span>
        <strong dir="auto">${nameOf(entity)}</strong>
        <span class="small">${kinds[kind]}${place ? html` in <bdi>${place}</bdi>` : nothing}${parentCount > 1 ? ` and ${parentCount - 1} more` : nothing}</span>
      </p>
      ${change === 'CHANGED' && fields.length > 0 ? html`<dl>${fields.map(renderField)}</dl>` : nothing}
      ${change === 'CHANGED' ? placements.map(renderPlacement) : nothing}
    </li>`;
}

function renderField({ label, beforeText, afterText }: EntityChange['fields'][number]): TemplateResult {
  return html`
    <div>
      <dt>${label}</dt>
      <dd>
        ${beforeText === null ? nothing : html`<del dir="auto">${beforeText}</del>`}
        ${afterText === null ? nothing : html`<ins dir="auto">${afterText}</ins>`}
      </dd>
    </div>`;
}

const moves: Readonly<Record<Placement['change'], string>> = {
  ADDED: 'now in',
  REMOVED: 'no longer in',
  MOVED: 'moved in',
};

function renderPlacement({ change, parent, previous }: Placement): TemplateResult {
  const where = parent ? html`<bdi>${nameOf(parent)}</bdi>` : 'the list of menus';
  const after =
    change === 'REMOVED' ? nothing : previous ? html`, after <bdi>${nameOf(previous)}</bdi>` : ', at the start';
  return html`<p class="small">${moves[change]} ${where}${after}</p>`;
}

/** Names an entity in the reader's language. */
export function nameOf({ name, externalId }: Pick<EntityChange, 'name' | 'externalId'>): string {
  return name?.text || externalId;
}
