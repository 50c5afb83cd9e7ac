import { isPause, type Steps } from '@carte/base/time-slice';
import type { MenuItemNode, ModifierGroupNode, ModifierItemNode } from '../configuration.ts';
import type { Findings, ValidationContext } from './context.ts';
import { displayName, pluralize } from './messages.ts';

type Node = MenuItemNode | ModifierGroupNode | ModifierItemNode;

/** A longer cycle is shown by its first items. */
const maxNames = 6;

/**
 * Finds modifier items that lead back to themselves: modifier item → item → modifier group → … → the same modifier item.
 * Reports each strongly connected component once, at its first modifier item.
 */
export function* checkCycles({ modifierItems }: ValidationContext): Findings {
  const linked = [...modifierItems.entries()].filter(([, { item }]) => item);
  const componentOf = yield* findComponents(linked.map(([, modifierItem]) => modifierItem));
  const circular = linked.filter(([, modifierItem]) =>
    successorsOf(modifierItem).some(item => componentOf(item) === componentOf(modifierItem)),
  );
  for (const [first, ...others] of Map.groupBy(circular, ([, modifierItem]) => componentOf(modifierItem)).values()) {
    if (!first) continue;
    const [index, modifierItem] = first;
    const inComponent = (node: Node) =>
      successorsOf(node).filter(next => componentOf(next) === componentOf(modifierItem));
    const cycle = yield* findShortestCycle(modifierItem, inComponent);
    const items = cycle.filter(node => 'modifierGroups' in node);
    const names = [...items.slice(0, maxNames), ...items.slice(0, 1)].map(displayName);
    if (items.length > maxNames) names.splice(-1, 0, '…');
    const also = others.length > 0 ? `, like ${pluralize(others.length, 'other')}` : '';
    const message = `Modifier item ${displayName(modifierItem)} leads back to itself (${names.join(' → ')})${also}.`;
    yield { code: 'CIRCULAR_MODIFIER', path: ['modifierItems', index, 'itemExternalId'], message };
  }
}

function successorsOf(node: Node): readonly Node[] {
  if ('modifierGroups' in node) return node.modifierGroups;
  if ('modifierItems' in node) return node.modifierItems;
  return node.item ? [node.item] : [];
}

interface Vertex {
  readonly successors: readonly Node[];
  readonly index: number;
  lowLink: number;
  followed: number;
  component: number | undefined;
}

/**
 * Finds strongly connected components with Tarjan's algorithm. Iterative, since a chain of modifiers may be longer than
 * the call stack is deep.
 */
function* findComponents(starts: readonly Node[]): Steps<(node: Node) => number | undefined> {
  const vertices = new Map<Node, Vertex>();
  const stack: Vertex[] = [];
  let componentCount = 0;
  let steps = 0;

  const open = (node: Node): Vertex => {
    const index = vertices.size;
    const vertex = { successors: successorsOf(node), index, lowLink: index, followed: 0, component: undefined };
    vertices.set(node, vertex);
    stack.push(vertex);
    return vertex;
  };
  const close = (vertex: Vertex, parent: Vertex | undefined) => {
    if (parent) parent.lowLink = Math.min(parent.lowLink, vertex.lowLink);
    if (vertex.lowLink !== vertex.index) return;
    for (const member of stack.splice(stack.lastIndexOf(vertex))) member.component = componentCount;
    componentCount += 1;
  };

  for (const start of starts) {
    if (vertices.has(start)) continue;
    const path = [open(start)];
    for (let vertex = path.at(-1); vertex; vertex = path.at(-1)) {
      if (isPause(steps++)) yield;
      const next = vertex.successors[vertex.followed++];
      const known = next && vertices.get(next);
      if (next === undefined) {
        path.pop();
        close(vertex, path.at(-1));
      } else if (!known) path.push(open(next));
      else if (known.component === undefined) vertex.lowLink = Math.min(vertex.lowLink, known.index);
    }
  }
  return node => vertices.get(node)?.component;
}

/** Searches breadth-first for the shortest path from a node back to itself; the path starts with the node. */
function* findShortestCycle(start: Node, nextOf: (node: Node) => readonly Node[]): Steps<Node[]> {
  const predecessors = new Map<Node, Node>();
  let frontier = [start];
  while (frontier.length > 0 && !predecessors.has(start)) {
    const discovered: Node[] = [];
    for (const node of frontier) {
      yield;
      for (const next of nextOf(node)) {
        if (predecessors.has(next)) continue;
        predecessors.set(next, node);
        discovered.push(next);
      }
    }
    frontier = discovered;
  }
  const cycle: Node[] = [];
  for (let node = predecessors.get(start); node; node = node === start ? undefined : predecessors.get(node))
    cycle.push(node);
  return cycle.reverse();
}
