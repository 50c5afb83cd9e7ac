import { nameOf } from '../menu/diagnostics/messages.ts';
import type { EntityChange, EntityReference, MenuChanges } from '../menu/history/changes.ts';
import type { DescribedField, Describer } from '../menu/history/describe.ts';
import { isRewritten } from '../menu/history/fields.ts';
import { entityKinds, type KindName } from '../menu/kinds.ts';
import { pad, printable, styled, widthOf } from './terminal.ts';

const marks = { ADDED: '+', REMOVED: '-', CHANGED: '~' } as const;
const colors = { ADDED: 'green', REMOVED: 'red', CHANGED: 'yellow' } as const;

/** What contains the entities of a kind. */
const parentNouns: Readonly<Record<KindName, string>> = {
  menus: 'stores',
  categories: 'menus',
  items: 'categories',
  modifierGroups: 'items',
  modifierItems: 'groups',
};

/** Longer names are not aligned with the others. */
const maxNameWidth = 30;
/** Two values that are longer together are on lines of their own. */
const maxValuesWidth = 60;

/** Formats changes for a terminal, below headings that tell where they are on the menu. */
export function formatChanges(changes: MenuChanges, describer: Describer): string {
  const entities = withoutRemovedModifiers(changes.entities).filter(entity => !isOnlyRewritten(entity));
  const titles = entities.map(titleOf);
  const nameWidth = Math.max(...titles.map(widthOf).filter(width => width <= maxNameWidth), 0);
  const lines: string[] = [];
  let heading = '';
  for (const [index, change] of entities.entries()) {
    if (headingOf(change) !== heading) {
      heading = headingOf(change);
      lines.push(...(index > 0 ? [''] : []), styled('bold', heading));
    }
    lines.push(...formatChange(change, pad(titles[index] ?? '', nameWidth), describer));
  }
  const rewritten = changes.entities.filter(isOnlyRewritten).length;
  if (rewritten > 0)
    lines.push(...(lines.length > 0 ? [''] : []), `Only written differently: ${rewritten} (--json lists them)`);
  return lines.join('\n');
}

/** A POS that posts all languages in another order has changed nothing that a reader looks for. */
function isOnlyRewritten({ kind, change, fields, placements }: EntityChange): boolean {
  return change === 'CHANGED' && placements.length === 0 && fields.every(field => isRewritten(kind, field));
}

/** Leaves out what was removed together with the item or group that it modified: no reader misses it. */
function withoutRemovedModifiers(entities: readonly EntityChange[]): readonly EntityChange[] {
  const removed = new Set(entities.filter(({ change }) => change === 'REMOVED').map(keyOf));
  return entities.filter(entity => {
    const parent = entity.path.at(-1);
    const isModifier = entity.kind === 'modifierGroups' || entity.kind === 'modifierItems';
    return !(isModifier && removed.has(keyOf(entity)) && parent && removed.has(keyOf(parent)));
  });
}

const keyOf = ({ kind, externalId }: EntityReference) => `${kind} ${externalId}`;

/** The path on the menu. */
function headingOf({ kind, path }: EntityChange): string {
  const names = path.map(parent => printable(nameOf(parent)));
  const isOnMenu = kind === 'menus' || path[0]?.kind === 'menus';
  return [...(isOnMenu ? [] : ['On no menu']), ...names].join(' › ') || 'Menus';
}

/** The name and, if it has several parents, their number: a change of a shared modifier group concerns all its items. */
function titleOf({ kind, parentCount, ...entity }: EntityChange): string {
  const name = printable(nameOf(entity));
  return parentCount > 1 ? `${name} (in ${parentCount} ${parentNouns[kind]})` : name;
}

function formatChange(entity: EntityChange, title: string, { describe }: Describer): readonly string[] {
  const { fields, facts } = describe(entity);
  const labelWidth = Math.max(...fields.map(({ label }) => widthOf(label)), 0);
  const details = [
    ...fields.flatMap(field => formatField(field, labelWidth)),
    ...(facts.length > 0 ? [facts.join(' · ')] : []),
  ];
  const indent = ' '.repeat(widthOf(title) + 6);
  const start = styled(colors[entity.change], `  ${marks[entity.change]} ${title}`);
  return [`${start}  ${details[0] ?? ''}`.trimEnd(), ...details.slice(1).map(line => indent + line)];
}

function formatField({ label, before, after }: DescribedField, labelWidth: number): readonly string[] {
  const [old, now] = [styled('red', before ?? 'none'), styled('green', after ?? 'none')];
  const isShort = widthOf(before ?? '') + widthOf(after ?? '') <= maxValuesWidth;
  return isShort ? [`${pad(label, labelWidth)}  ${old} → ${now}`] : [label, `  - ${old}`, `  + ${now}`];
}

/** Changes as JSON, with the kinds of the graph. */
export function toJson({ entities, reordered }: MenuChanges): object {
  const reference = ({ kind, externalId, name }: EntityReference) => ({ kind: entityKinds[kind], externalId, name });
  const optional = (entity: EntityReference | null) => entity && reference(entity);
  return {
    changes: entities.map(({ change, path, parentCount, fields, placements, ...entity }) => ({
      change,
      ...reference(entity),
      path: path.map(reference),
      parentCount,
      fields,
      placements: placements.map(({ parent, previous, ...placement }) => {
        return { ...placement, parent: optional(parent), previous: optional(previous) };
      }),
    })),
    reordered: reordered.map(kind => entityKinds[kind]),
  };
}
