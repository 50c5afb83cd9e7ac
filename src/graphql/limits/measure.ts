import type { FieldNode } from 'graphql';
import type { FieldSize } from './sizes.ts';
import type { Values } from './values.ts';

/** How much a selection asks for, of each object that it is applied to. */
export interface Measure {
  /** How many fields it selects itself. */
  readonly width: number;
  /** How many levels of fields there are, and the way down to the lowest. */
  readonly depth: number;
  readonly deepest: Step | undefined;
  /** What it costs, in objects, and the way down to where most of that is. */
  readonly cost: number;
  readonly heaviest: Step | undefined;
  /** What is added for each member of the lists whose length the field above says. */
  readonly costPerMember: number;
  /** The part that asks about the schema itself, which has a depth of its own. */
  readonly introspection: Pick<Measure, 'depth' | 'deepest'>;
}

/** One field on the way down. */
export interface Step {
  readonly name: string;
  readonly node: FieldNode;
  /** How often it is answered for each object above it. */
  readonly times: number;
  readonly below: Measure;
}

/** Nothing is counted beyond this, so that no product becomes infinite. */
export const countless = 1e15;

export const nothing: Measure = {
  width: 0,
  depth: 0,
  deepest: undefined,
  cost: 0,
  heaviest: undefined,
  costPerMember: 0,
  introspection: { depth: 0, deepest: undefined },
};

/** Two selections on the same object. What both select is counted twice: it would take longer to find out. */
export function both(one: Measure, other: Measure): Measure {
  const heavier = other.cost + other.costPerMember > one.cost + one.costPerMember ? other : one;
  const { depth, deepest } = deeper(one, other);
  return {
    width: atMost(one.width + other.width),
    depth,
    deepest,
    cost: atMost(one.cost + other.cost),
    heaviest: heavier.heaviest,
    costPerMember: atMost(one.costPerMember + other.costPerMember),
    introspection: deeper(one.introspection, other.introspection),
  };
}

/** A field of one object, with what is selected below it. */
export function ofField(node: FieldNode, size: FieldSize | undefined, below: Measure, values: Values): Measure {
  const name = node.name.value;
  const length = size ? lengthOf(size, node, values) : 1;
  const times = size?.isList && !size.isSizedAbove ? length : 1;
  const each = atMost(ownCost(node, size) + below.cost + below.costPerMember * length);
  const cost = atMost((size?.weight ?? 0) + times * each);
  const step: Step = { name, node, times, below };
  const levels = { depth: below.depth + 1, deepest: step };
  const isIntrospection = name === '__schema' || name === '__type';
  return {
    width: 1,
    ...(isIntrospection ? nothing.introspection : levels),
    cost: size?.isSizedAbove ? 0 : cost,
    heaviest: step,
    costPerMember: size?.isSizedAbove ? cost : 0,
    introspection: isIntrospection ? levels : nothing.introspection,
  };
}

/** Every object counts one, and so does a member of a list. Another value counts when an alias lets it come repeatedly. */
function ownCost(node: FieldNode, size: FieldSize | undefined): number {
  return node.selectionSet || size?.isList || node.alias ? 1 : 0;
}

/** How long the list is that the field answers, or the lists in its object. */
function lengthOf({ slicing, assumedSize }: FieldSize, node: FieldNode, values: Values): number {
  const lengths = slicing.flatMap(({ name, fallback }) => {
    const argument = node.arguments?.find(candidate => candidate.name.value === name);
    const length = (argument && values.of(argument.value)) ?? fallback;
    return typeof length === 'number' && !Number.isNaN(length) ? [Math.max(0, atMost(length))] : [];
  });
  return lengths.length > 0 ? Math.max(...lengths) : assumedSize;
}

const deeper = (one: Measure['introspection'], other: Measure['introspection']): Measure['introspection'] =>
  other.depth > one.depth ? { depth: other.depth, deepest: other.deepest } : { depth: one.depth, deepest: one.deepest };

const atMost = (count: number) => Math.min(count, countless);
