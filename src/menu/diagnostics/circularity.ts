import { knotsOf, shortestLoop } from './cycles.ts';
import type { DiagnosedModifierItem, Finding, LinkedGroup, LinkedItem, Subject } from './subject.ts';
import { called, counted } from './wording.ts';

type Node = LinkedItem | LinkedGroup | DiagnosedModifierItem;

/** A longer loop is told by its first items. */
const mostNames = 6;

/**
 * Modifier items that lead back to themselves: modifier item → item → modifier group → … → the same modifier item.
 * Loops that share a step make one knot, told once, at its first modifier item.
 */
export function* checkCircularity({ modifierItems, itemById }: Subject): Generator<Finding> {
  const itemOf = (modifierItem: DiagnosedModifierItem) => itemById.get(modifierItem.menuItemExternalId ?? '');
  const nextOf = (node: Node): readonly Node[] => {
    if ('groups' in node) return node.groups;
    if ('members' in node) return node.members;
    return [itemOf(node)].filter(item => item !== undefined);
  };
  const choices = [...modifierItems.entries()].filter(([, modifierItem]) => itemOf(modifierItem));
  const knotOf = knotsOf<Node>(
    choices.map(([, modifierItem]) => modifierItem),
    nextOf,
  );
  const circular = choices.filter(([, modifierItem]) =>
    nextOf(modifierItem).some(item => knotOf(item) === knotOf(modifierItem)),
  );
  for (const [first, ...others] of Map.groupBy(circular, ([, modifierItem]) => knotOf(modifierItem)).values()) {
    if (!first) continue;
    const [at, modifierItem] = first;
    const inKnot = (node: Node) => nextOf(node).filter(next => knotOf(next) === knotOf(modifierItem));
    const items = shortestLoop<Node>(modifierItem, inKnot).filter(node => 'groups' in node);
    const loop = [...items.slice(0, mostNames), ...items.slice(0, 1)].map(called);
    if (items.length > mostNames) loop.splice(-1, 0, '…');
    const also = others.length > 0 ? `, like ${counted(others.length, 'other')}` : '';
    const message = `Modifier item ${called(modifierItem)} leads back to itself (${loop.join(' → ')})${also}.`;
    yield { code: 'CIRCULAR_MODIFIER', path: ['modifierItems', at, 'menuItemExternalId'], message };
  }
}
