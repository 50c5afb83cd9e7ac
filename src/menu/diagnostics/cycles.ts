interface Visit<T> {
  readonly node: T;
  readonly next: readonly T[];
  readonly order: number;
  /** The earliest visit known to be reachable from here that still has no knot. */
  low: number;
  /** How many of the next nodes have been looked at. */
  seen: number;
  knot: number | undefined;
}

/**
 * The knots of a directed graph, by number: nodes share one when each can be reached from the other (Tarjan's
 * algorithm). It keeps its own stack, since a chain of modifiers may be longer than the call stack is deep.
 */
export function knotsOf<T>(starts: Iterable<T>, nextOf: (node: T) => readonly T[]): (node: T) => number | undefined {
  const visits = new Map<T, Visit<T>>();
  const undecided: Visit<T>[] = [];
  let knots = 0;

  const enter = (node: T): Visit<T> => {
    const order = visits.size;
    const visit = { node, next: nextOf(node), order, low: order, seen: 0, knot: undefined };
    visits.set(node, visit);
    undecided.push(visit);
    return visit;
  };
  const leave = (visit: Visit<T>, parent: Visit<T> | undefined) => {
    if (parent) parent.low = Math.min(parent.low, visit.low);
    if (visit.low !== visit.order) return;
    for (const member of undecided.splice(undecided.lastIndexOf(visit))) member.knot = knots;
    knots += 1;
  };

  for (const start of starts) {
    if (visits.has(start)) continue;
    const path = [enter(start)];
    for (let visit = path.at(-1); visit; visit = path.at(-1)) {
      const next = visit.next[visit.seen++];
      const known = next && visits.get(next);
      if (next === undefined) {
        path.pop();
        leave(visit, path.at(-1));
      } else if (!known) path.push(enter(next));
      else if (known.knot === undefined) visit.low = Math.min(visit.low, known.order);
    }
  }
  return node => visits.get(node)?.knot;
}

/** The fewest nodes that lead from a node back to itself, which comes first; none if it is in no loop. */
export function shortestLoop<T>(start: T, nextOf: (node: T) => readonly T[]): T[] {
  const cameFrom = new Map<T, T>();
  let edge = [start];
  while (edge.length > 0 && !cameFrom.has(start)) {
    const reached: T[] = [];
    for (const node of edge) {
      for (const next of nextOf(node)) {
        if (cameFrom.has(next)) continue;
        cameFrom.set(next, node);
        reached.push(next);
      }
    }
    edge = reached;
  }
  const loop: T[] = [];
  for (let node = cameFrom.get(start); node; node = node === start ? undefined : cameFrom.get(node)) loop.push(node);
  return loop.reverse();
}
