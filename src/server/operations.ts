import { GraphQLError, type GraphQLSchema } from 'graphql';
import type { Config } from '../config.ts';
import { createLargestCost } from '../graphql/largest-cost.ts';
import type { Contract } from '../rest/contract/contract.ts';
import { readOperatorSets, type SetFiles } from '../rest/contract/folders.ts';
import { type CheckSet, errorAt, readSets } from '../rest/contract/sets.ts';

type OperationSettings = Pick<Config, 'operations' | 'graphqlLimits'>;

/** Loads all sets of operations, those of the operator with their limits checked; throws with every error. */
export function loadOperations(
  schema: GraphQLSchema,
  { operations: folders, graphqlLimits }: OperationSettings,
  operatorSets: readonly SetFiles[] = readOperatorSets(folders),
): readonly Contract[] {
  return readSets(schema, operatorSets, createCostCheck(schema, graphqlLimits));
}

/** Creates the check of a set for its costs. */
export function createCostCheck(schema: GraphQLSchema, { cost }: Pick<Config['graphqlLimits'], 'cost'>): CheckSet {
  const largestCost = createLargestCost(schema);
  return contract => [...checkCosts(contract, largestCost, cost)];
}

/** Every length that a caller chooses is bounded, and no request of an operator's set can exceed the limit. */
function* checkCosts(
  { operations, isBuiltIn }: Contract,
  largestCost: ReturnType<typeof createLargestCost>,
  limit: number,
): Generator<GraphQLError> {
  for (const operation of operations) {
    const { document, name, parameters } = operation;
    const bounds = new Map(
      parameters.map(({ name, max, required, defaultValue }) => [
        name,
        { max, mayBeAbsent: !required && defaultValue === undefined },
      ]),
    );
    const { cost, unbounded } = largestCost(document, name, bounds);
    for (const node of unbounded) {
      const message = `"${node.name.value}" says how much is loaded, so its variable needs @range(max:), e.g. @range(min: 1, max: 100).`;
      yield new GraphQLError(message, { nodes: node });
    }
    if (isBuiltIn || cost <= limit || unbounded.length > 0) continue;
    const [found, most] = [cost, limit].map(number => number.toLocaleString('en-US'));
    yield errorAt(
      operation,
      `${name} may cost ${found} objects; at most ${most} are allowed. Select less, or lower the max of @range.`,
    );
  }
}
