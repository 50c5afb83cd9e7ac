import type { FieldNode } from 'graphql';
import type { Step } from './measure.ts';

export interface Place {
  /** The names of the fields on the way there, e.g. `stores.menus`. */
  readonly path: string;
  readonly node: FieldNode;
}

/** The first field on the way to the lowest that is too low. */
export function placeOfDepth(deepest: Step | undefined, limit: number): Place | undefined {
  const steps = stepsTo(deepest, step => step.below.deepest);
  return placeAt(steps, limit);
}

/** The first list on the way to the heaviest that alone is too much; where none is, the heaviest. */
export function placeOfCost(heaviest: Step | undefined, limit: number): Place | undefined {
  const steps = stepsTo(heaviest, step => step.below.heaviest);
  let count = 1;
  const first = steps.findIndex(({ times }) => {
    count *= times;
    return count > limit;
  });
  return placeAt(steps, first < 0 ? steps.length - 1 : first);
}

const longestPath = 20;

function placeAt(steps: readonly Step[], last: number): Place | undefined {
  const path = steps.slice(0, Math.min(last + 1, longestPath)).map(step => clip(step.name));
  const node = steps[path.length - 1]?.node;
  return node && { path: path.join('.'), node };
}

function stepsTo(first: Step | undefined, next: (step: Step) => Step | undefined): Step[] {
  const steps: Step[] = [];
  for (let step = first; step; step = next(step)) steps.push(step);
  return steps;
}

/** A name may be as long as a request. */
export function clip(name: string): string {
  return name.length > 40 ? `${name.slice(0, 40)}…` : name;
}
