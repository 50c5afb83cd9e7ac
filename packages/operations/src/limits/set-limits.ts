import {
  type ArgumentNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import type { Contract, Operation } from '../contract/contract.ts';
import { errorAt, type SetLimits } from '../contract/sets.ts';
import { readFieldCosts } from './field-costs.ts';
import { createLimitCheck, defaultQueryLimits, type QueryLimits } from './limits.ts';
import { analyzeOperation } from './query-cost.ts';

/** Creates the limits on sets of operations: those of any document, except that bodies have as many aliases as fields. */
export function createSetLimits(
  schema: GraphQLSchema,
  limits: Partial<QueryLimits> = {},
  isReserved: SetLimits['isReserved'] = () => false,
): SetLimits {
  const checkLimits = createLimitCheck(schema, { ...limits, aliases: defaultQueryLimits.selections });
  return {
    // Without variables: `checkCosts` knows their bounds.
    check: (document, operationName) => checkLimits(document, operationName, {}).errors,
    isReserved,
    checkCosts: contract => [...checkCosts(schema, contract, limits.cost ?? defaultQueryLimits.cost)],
  };
}

/** Every length that a caller chooses is bounded, and no request of an operator's set can exceed the limit. */
function* checkCosts(
  schema: GraphQLSchema,
  { operations, isBuiltIn }: Contract,
  limit: number,
): Generator<GraphQLError> {
  for (const operation of operations) {
    const { cost, unbounded } = largestCost(schema, operation);
    for (const node of unbounded) {
      const message = `"${node.name.value}" says how much is loaded, so its variable needs @range(max:), e.g. @range(min: 1, max: 100).`;
      yield new GraphQLError(message, { nodes: node });
    }
    if (isBuiltIn || cost <= limit || unbounded.length > 0) continue;
    const [found, most] = [cost, limit].map(number => number.toLocaleString('en-US'));
    yield errorAt(
      operation,
      `${operation.name} may cost ${found} objects; at most ${most} are allowed. Select less, or lower the max of @range.`,
    );
  }
}

/**
 * Computes the most that an operation can cost, by the bounds of its parameters, and finds those without a bound that say how long a list is.
 * Lists among them count as absent.
 */
function largestCost(schema: GraphQLSchema, { document, name, parameters }: Operation) {
  const fieldCosts = readFieldCosts(schema);
  const operation = getOperationAST(document, name);
  if (!operation) throw new Error(`The document has no operation ${name}`);
  const unbounded: ArgumentNode[] = [];
  const variables: Record<string, number> = {};
  const typeInfo = new TypeInfo(schema);
  visit(
    document,
    visitWithTypeInfo(typeInfo, {
      Argument(node) {
        const field = typeInfo.getFieldDef();
        const slicing = field && fieldCosts.get(field)?.slicingArguments.find(slice => slice.name === node.name.value);
        if (!slicing || slicing.isList || node.value.kind !== Kind.VARIABLE) return;
        const variable = node.value.name.value;
        const parameter = parameters.find(candidate => candidate.name === variable);
        if (parameter?.max === undefined) return void unbounded.push(node);
        // Without the variable, the default of the argument holds.
        const mayBeAbsent = !parameter.required && parameter.defaultValue === undefined;
        const inPlace = mayBeAbsent && typeof slicing.defaultValue === 'number' ? slicing.defaultValue : 0;
        variables[variable] = Math.max(parameter.max, inPlace, variables[variable] ?? 0);
      },
    }),
  );
  return { cost: analyzeOperation(operation, { schema, fieldCosts, document, variables })?.cost ?? 0, unbounded };
}
