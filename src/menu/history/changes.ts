import type { Steps } from '@carte/base/time-slice';
import type { Configuration } from '../configuration.ts';
import type { MultilingualText } from '../entities.ts';
import { byKind, childrenOf, countParents, type Kind, type KindName, kindOf, menuKinds } from '../kinds.ts';
import { compareFields, compareLists, type FieldChange, type ListChange, mergeLists } from './fields.ts';

/** An entity of a configuration, for a reader. */
export interface EntityReference {
  readonly kind: KindName;
  readonly externalId: string;
  readonly name: MultilingualText | null;
}

/** A change of an entity's position in the list of a parent. */
export interface PlacementChange extends Omit<ListChange, 'externalId'> {
  /** Null for a menu, whose list is that of the store. */
  readonly parent: EntityReference | null;
  /** What it follows now; null if it is the first, or no longer in the list. */
  readonly previous: EntityReference | null;
}

/** All that changed about one entity. */
export interface EntityChange extends EntityReference {
  readonly change: 'ADDED' | 'REMOVED' | 'CHANGED';
  /** Where it is on the menu, from the menu down to its parent, the first of several; empty if it is in nothing. */
  readonly path: readonly EntityReference[];
  /** How many entities contain it, or did before it was removed. */
  readonly parentCount: number;
  readonly fields: readonly FieldChange[];
  /** Of an entity in lists that were there before and still are; the list of a new or removed parent is one of its fields. */
  readonly placements: readonly PlacementChange[];
}

export interface MenuChanges {
  /** In the order in which a guest reads the menu; what was removed is where it was, and what is in nothing comes last. */
  readonly entities: readonly EntityChange[];
  /** The kinds, other than menus, whose list was posted in another order: no guest sees that. */
  readonly reordered: readonly KindName[];
}

/** Counts the changed entities of each kind, from menus down to modifier items. */
export function countChanges({ entities }: MenuChanges): readonly ChangeCounts[] {
  return countByKind(
    ({ name }, change) => entities.filter(each => each.kind === name && each.change === change.toUpperCase()).length,
  );
}

export function summarizeChanges(changes: MenuChanges): string {
  const isUnchanged = changes.entities.length + changes.reordered.length === 0;
  return isUnchanged ? 'nothing changed' : summarizeCounts(countChanges(changes));
}

interface ConfigurationPair {
  readonly before: Configuration;
  readonly after: Configuration;
}

/** What is known about a changed entity while lists are compared. */
interface Draft {
  readonly fields: FieldChange[];
  readonly placements: PlacementChange[];
}

type Drafts = Readonly<Record<KindName, Map<string, Draft>>>;

/** If more elements of a list were moved, its parent reports the new list instead of each element its move. */
const maxMoves = 5;

/**
 * Compares two configurations by external id, in time that hardly grows faster than they do. Numeric ids are not compared: an entity
 * that was deleted and is back is the same to a reader.
 */
export function* compareConfigurations(before: Configuration, after: Configuration): Steps<MenuChanges> {
  const pair = { before, after };
  const drafts = byKind(() => new Map<string, Draft>());
  for (const { name } of menuKinds) yield* compareEntities(drafts, pair, name);
  const menus = { before: [...before.menus.keys()], after: [...after.menus.keys()] };
  compareList(drafts, pair, { parent: null, childKind: 'menus', ...menus });
  for (const kind of menuKinds) yield* compareChildren(drafts, pair, kind);
  for (const kind of menuKinds) yield* completeMoves(drafts, pair, kind);
  return { entities: yield* inMenuOrder(drafts, pair), reordered: yield* reorderedKinds(pair) };
}

function* compareEntities(drafts: Drafts, { before, after }: ConfigurationPair, kind: KindName): Steps<void> {
  for (const id of new Set([...after[kind].keys(), ...before[kind].keys()])) {
    const [old, now] = [before[kind].get(id), after[kind].get(id)];
    const fields = yield* compareFields(kind, old, now);
    if (fields.length > 0 || !old || !now) drafts[kind].set(id, { fields, placements: [] });
    yield;
  }
}

/** Compares the children of every entity of a kind that is in both configurations. */
function* compareChildren(drafts: Drafts, pair: ConfigurationPair, kind: Kind): Steps<void> {
  const { before, after } = pair;
  if (!kind.children) return;
  const { kind: childKind, property } = kind.children;
  for (const [id, entity] of after[kind.name]) {
    const old = before[kind.name].get(id);
    if (!old) continue;
    const lists = { before: childrenOf(kind, old), after: childrenOf(kind, entity) };
    const parent = referenceTo(pair, kind.name, id);
    const movesAreMany = compareList(drafts, pair, { parent, childKind, ...lists });
    if (movesAreMany) draftOf(drafts, kind.name, id).fields.push({ field: property, key: null, ...lists });
    yield;
  }
}

interface List extends Pick<PlacementChange, 'parent'> {
  readonly childKind: KindName;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** Reports the changes of a list with its elements; returns true if it has left out their moves, since there are too many. */
function compareList(drafts: Drafts, pair: ConfigurationPair, { parent, childKind, before, after }: List): boolean {
  const changes = compareLists(before, after);
  const movesAreMany = parent !== null && changes.filter(({ change }) => change === 'MOVED').length > maxMoves;
  for (const { externalId, ...change } of changes) {
    if (movesAreMany && change.change === 'MOVED') continue;
    const previousId = change.position === null ? undefined : after[change.position - 1];
    const previous = previousId === undefined ? null : referenceTo(pair, childKind, previousId);
    draftOf(drafts, childKind, externalId).placements.push({ ...change, parent, previous });
  }
  return movesAreMany;
}

/**
 * An entity that was moved from a list that is gone, or to a new one, has changed in one surviving list only: adds the other end. One
 * that is in no surviving list that changed is left alone, since the fields of its parents tell where it was and is.
 */
function* completeMoves(drafts: Drafts, pair: ConfigurationPair, kind: Kind): Steps<void> {
  const { before, after } = pair;
  if (!kind.children) return;
  const { kind: childKind } = kind.children;
  for (const id of drafts[kind.name].keys()) {
    const [old, now] = [before[kind.name].get(id), after[kind.name].get(id)];
    if (old && now) continue;
    const children = childrenOf(kind, now ?? old);
    for (const [position, childId] of children.entries()) {
      const placements = drafts[childKind].get(childId)?.placements ?? [];
      if (placements.length === 0 || !before[childKind].has(childId) || !after[childKind].has(childId)) continue;
      const previousId = now && children[position - 1];
      placements.push({
        change: now ? 'ADDED' : 'REMOVED',
        parent: referenceTo(pair, kind.name, id),
        positionBefore: now ? null : position,
        position: now ? position : null,
        previous: previousId === undefined ? null : referenceTo(pair, childKind, previousId),
      });
    }
    yield;
  }
}

function draftOf(drafts: Drafts, kind: KindName, externalId: string): Draft {
  const draft = drafts[kind].get(externalId) ?? { fields: [], placements: [] };
  drafts[kind].set(externalId, draft);
  return draft;
}

/**
 * Lists changes in the order in which a guest reads the later configuration: a menu, its categories, their items, and below each its modifiers.
 * What is in nothing any more is where it was, and what never was in anything comes last.
 */
function* inMenuOrder(drafts: Drafts, { before, after }: ConfigurationPair): Steps<readonly EntityChange[]> {
  if (Object.values(drafts).every(ofKind => ofKind.size === 0)) return [];
  const parentsBefore = yield* countParents(before);
  const parentsAfter = yield* countParents(after);
  const changes: EntityChange[] = [];
  const visited = byKind(() => new Set<string>());

  function* visit(kind: Kind, externalId: string, path: readonly EntityReference[]): Steps<void> {
    visited[kind.name].add(externalId);
    const [old, now] = [before[kind.name].get(externalId), after[kind.name].get(externalId)];
    const reference = { kind: kind.name, externalId, name: (now ?? old)?.name ?? null };
    const draft = drafts[kind.name].get(externalId);
    if (draft) {
      const change = old && now ? 'CHANGED' : now ? 'ADDED' : 'REMOVED';
      const parentCount = (now ? parentsAfter : parentsBefore)[kind.name].get(externalId) ?? 0;
      changes.push({ ...reference, change, path, parentCount, ...draft });
    }
    yield;
    if (!kind.children) return;
    const childKind = kindOf(kind.children.kind);
    const children = childrenOf(kind, now);
    const current = new Set(children);
    const pathOfChildren = [...path, reference];
    for (const id of mergeLists(childrenOf(kind, old), children)) {
      const isElsewhere = !current.has(id) && parentsAfter[childKind.name].has(id);
      if (!isElsewhere && !visited[childKind.name].has(id)) yield* visit(childKind, id, pathOfChildren);
    }
  }

  for (const kind of menuKinds) {
    for (const id of mergeLists([...before[kind.name].keys()], [...after[kind.name].keys()])) {
      if (!visited[kind.name].has(id)) yield* visit(kind, id, []);
    }
  }
  return changes;
}

/** Refers to an entity by its current name, or by its last one if it is gone. */
function referenceTo({ before, after }: ConfigurationPair, kind: KindName, externalId: string): EntityReference {
  return { kind, externalId, name: (after[kind].get(externalId) ?? before[kind].get(externalId))?.name ?? null };
}

function* reorderedKinds({ before, after }: ConfigurationPair): Steps<readonly KindName[]> {
  const reordered: KindName[] = [];
  for (const { name: kind } of menuKinds) {
    if (kind === 'menus') continue;
    const now = after[kind].keys().filter(id => before[kind].has(id));
    for (const id of before[kind].keys()) {
      yield;
      if (!after[kind].has(id) || id === now.next().value) continue;
      reordered.push(kind);
      break;
    }
  }
  return reordered;
}

const changeNames = ['added', 'changed', 'removed'] as const;
type ChangeName = (typeof changeNames)[number];

/** Numbers of entities of one kind that a change added, changed and removed. */
export interface ChangeCounts extends Readonly<Record<ChangeName, number>> {
  readonly kind: KindName;
}

/** Counts changes by kind; leaves out kinds without any. */
export function countByKind(count: (kind: Kind, change: ChangeName) => number): ChangeCounts[] {
  return menuKinds.flatMap(kind => {
    const [added = 0, changed = 0, removed = 0] = changeNames.map(change => count(kind, change));
    return added + changed + removed > 0 ? [{ kind: kind.name, added, changed, removed }] : [];
  });
}

/** Describes changes by their numbers, e.g. `1 item changed, 2 modifier items added`. */
export function summarizeCounts(counts: readonly ChangeCounts[]): string {
  const parts = counts.flatMap(({ kind, ...numbers }) =>
    changeNames
      .filter(change => numbers[change] > 0)
      .map(change => `${numbers[change]} ${nounFor(kind, numbers[change])} ${change}`),
  );
  return parts.join(', ') || 'only the order of entities changed';
}

function nounFor(name: KindName, count: number): string {
  const { noun } = kindOf(name);
  return count === 1 ? noun : `${noun}s`.replace(/ys$/, 'ies');
}
