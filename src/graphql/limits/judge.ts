import { type ASTNode, GraphQLError, type OperationDefinitionNode } from 'graphql';
import { countless, type Measure } from './measure.ts';
import { clip, placeOfCost, placeOfDepth } from './place.ts';
import { directivesOf, type Tally } from './tally.ts';

/** How much one document may ask for. */
export interface DocumentLimits {
  /** Levels of fields within each other. */
  readonly depth: number;
  /** The same, where the schema itself is asked about. */
  readonly introspectionDepth: number;
  /** Objects in the answer, by the lengths that the schema assumes for its lists. */
  readonly cost: number;
  readonly rootFields: number;
  readonly aliases: number;
  /** Fields and spreads of fragments, as they are written. */
  readonly selections: number;
  /** At any one place. */
  readonly directives: number;
}

export const limitCodes = [
  'QUERY_TOO_DEEP',
  'QUERY_TOO_COMPLEX',
  'QUERY_TOO_LONG',
  'TOO_MANY_ROOT_FIELDS',
  'TOO_MANY_ALIASES',
  'TOO_MANY_DIRECTIVES',
] as const;

type LimitCode = (typeof limitCodes)[number];

/** What is too much in the text, whichever of its operations is executed. */
export function* judgeText({ selections, aliased, crowded }: Tally, limits: DocumentLimits): Generator<GraphQLError> {
  const what = 'The document has';
  if (selections.length > limits.selections) {
    const found = `${what} ${written(selections.length)} selections`;
    yield refusal('QUERY_TOO_LONG', found, limits.selections, selections[limits.selections]);
  }
  const excess = aliased[limits.aliases];
  if (excess) {
    const found = `${what} ${written(aliased.length)} aliases, one too many at ${clip(excess.alias?.value ?? '')}`;
    yield refusal('TOO_MANY_ALIASES', found, limits.aliases, excess);
  }
  const directives = directivesOf(crowded);
  if (directives.length > limits.directives) {
    const found = `${what} ${written(directives.length)} directives at one place`;
    yield refusal('TOO_MANY_DIRECTIVES', found, limits.directives, crowded);
  }
}

/** What is too much in one operation; a measure that is undefined stands for one that could not be taken. */
export function* judgeOperation(
  operation: OperationDefinitionNode,
  measure: Measure | undefined,
  limits: DocumentLimits,
): Generator<GraphQLError> {
  const { depth, introspectionDepth, rootFields, cost } = limits;
  const what = `The ${operation.operation}`;
  if (!measure) {
    yield refusal('QUERY_TOO_DEEP', `${what} nests selections and fragments in hundreds of levels`, depth, operation);
    return;
  }
  if (measure.width > rootFields) {
    yield refusal('TOO_MANY_ROOT_FIELDS', `${what} has ${written(measure.width)} root fields`, rootFields, operation);
  }
  if (measure.depth > depth) {
    const place = placeOfDepth(measure.deepest, depth);
    yield refusal('QUERY_TOO_DEEP', `${what} is ${measure.depth} levels deep at ${place?.path}`, depth, place?.node);
  }
  if (measure.introspection.depth > introspectionDepth) {
    const place = placeOfDepth(measure.introspection.deepest, introspectionDepth);
    const found = `${what} is ${measure.introspection.depth} levels deep at ${place?.path}`;
    yield refusal('QUERY_TOO_DEEP', found, introspectionDepth, place?.node);
  }
  if (measure.cost > cost) {
    const place = placeOfCost(measure.heaviest, cost);
    const found = `${what} costs ${written(measure.cost)} objects, most of them at ${place?.path}`;
    yield refusal('QUERY_TOO_COMPLEX', found, cost, place?.node);
  }
}

function refusal(code: LimitCode, found: string, limit: number, node: ASTNode | undefined): GraphQLError {
  return new GraphQLError(`${found}; at most ${written(limit)} are allowed.`, {
    nodes: node ?? null,
    extensions: { code },
  });
}

const written = (count: number) =>
  `${count === countless ? 'more than ' : ''}${Math.round(count).toLocaleString('en-US')}`;
