import type { Steps } from '../../scheduling/time-slice.ts';
import type { Configuration } from '../configuration.ts';
import { childIdsOf, type Kind, type KindName, menuKinds } from '../kinds.ts';
import { mergeLists } from './order.ts';

interface EntityKey {
  readonly kind: KindName;
  readonly externalId: string;
}

/** An entity with those that contain it, from the menu down to its parent. */
interface PlacedEntity extends EntityKey {
  readonly path: readonly EntityKey[];
}

/** The number of entities that contain another one, by its kind and external id. */
type ParentCounts = ReadonlyMap<KindName, ReadonlyMap<string, number>>;

export function* countParents(configuration: Configuration): Steps<ParentCounts> {
  const counts = new Map(menuKinds.map(({ name }) => [name, new Map<string, number>()]));
  for (const kind of menuKinds) {
    const ofChildren = kind.children && counts.get(kind.children.kind);
    for (const entity of ofChildren ? configuration[kind.name].values() : []) {
      for (const id of childrenOf(kind, entity)) ofChildren?.set(id, (ofChildren.get(id) ?? 0) + 1);
      yield;
    }
  }
  return counts;
}

/** The external ids of a stored entity's children; none if the entity does not exist. */
export function childrenOf(kind: Kind, entity: object | undefined): readonly string[] {
  return childIdsOf(kind, entity) as readonly string[];
}

/**
 * Lists every entity of either configuration once, in the order in which a guest reads the later one: a menu, its categories, their
 * items, and below each its modifiers. What is in nothing any more is where it was, and what never was in anything comes last.
 */
export function* walkMenu(
  before: Configuration,
  after: Configuration,
  parentsAfter: ParentCounts,
): Steps<readonly PlacedEntity[]> {
  const entities: PlacedEntity[] = [];
  const kinds = new Map(menuKinds.map(kind => [kind.name, kind]));
  const visited = new Map(menuKinds.map(({ name }) => [name, new Set<string>()]));

  function* visit(kind: Kind, externalId: string, path: readonly EntityKey[]): Steps<void> {
    visited.get(kind.name)?.add(externalId);
    entities.push({ kind: kind.name, externalId, path });
    yield;
    const childKind = kind.children && kinds.get(kind.children.kind);
    if (!childKind) return;
    const children = childrenOf(kind, after[kind.name].get(externalId));
    const current = new Set(children);
    const pathOfChildren = [...path, { kind: kind.name, externalId }];
    const isVisited = visited.get(childKind.name);
    for (const id of mergeLists(childrenOf(kind, before[kind.name].get(externalId)), children)) {
      const isElsewhere = !current.has(id) && parentsAfter.get(childKind.name)?.has(id);
      if (!isElsewhere && !isVisited?.has(id)) yield* visit(childKind, id, pathOfChildren);
    }
  }

  for (const kind of menuKinds) {
    for (const id of mergeLists([...before[kind.name].keys()], [...after[kind.name].keys()])) {
      if (!visited.get(kind.name)?.has(id)) yield* visit(kind, id, []);
    }
  }
  return entities;
}
