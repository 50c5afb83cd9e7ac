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
import { readFieldCosts } from '../limits/field-costs.ts';
import { createCostOf, createLimitCheck, defaultQueryLimits, type QueryLimits } from '../limits/limits.ts';
import { nodeAt } from '../limits/query-cost.ts';
import {
  type BodyOperation,
  type Contract,
  loadBuiltIn,
  type MessageOperation,
  type Operation,
  readContract,
  toolNameOf,
} from './contract.ts';
import type { SetFiles } from './folders.ts';
import { conflictOf } from './rules.ts';
import { ContractError, rejectErrors, type SetLimits, unlimited } from './sources.ts';

/** Reads sets of operations; throws once, with the errors of all. */
export function readSets(
  graph: GraphQLSchema,
  sets: readonly SetFiles[],
  limits: SetLimits = unlimited,
): readonly Contract[] {
  const errors: Error[] = [];
  const contracts = sets.flatMap(files => {
    try {
      const contract = files.isBuiltIn ? loadBuiltIn(graph, files) : readContract(graph, files, limits);
      errors.push(...limits.checkCosts(contract));
      return [contract];
    } catch (error) {
      if (!(error instanceof ContractError)) throw error;
      errors.push(...error.errors);
      return [];
    }
  });
  rejectErrors([...errors, ...conflictsBetween(contracts), ...toolConflicts(contracts)]);
  return contracts;
}

/** Names of operations are unique over all sets: they are the names of tools and documents, and of entries in the cache. */
function* conflictsBetween(sets: readonly Contract[]): Generator<GraphQLError> {
  const others: { readonly set: string; readonly operation: Operation | MessageOperation }[] = [];
  for (const { name: set, operations, messages } of sets) {
    for (const operation of [...operations, ...messages]) {
      for (const other of others.filter(candidate => candidate.set !== set)) {
        const namesake = operation.name === other.operation.name;
        if (namesake)
          yield errorAt(operation, `The set ${other.set} has an operation ${operation.name}; rename this one.`);
        if (!('route' in operation && 'route' in other.operation)) continue;
        const conflict = conflictOf(operation.route, other.operation);
        if (conflict) yield errorAt(operation, `${conflict} It is in the set ${other.set}.`);
      }
      others.push({ set, operation });
    }
  }
}

const toolName = /^[\w-]{1,64}$/;

/** Names of tools are unique, and no tool has the name of another operation. */
function* toolConflicts(sets: readonly Contract[]): Generator<GraphQLError> {
  const operations = sets.flatMap(set => set.operations);
  for (const operation of operations.filter(({ tool }) => tool?.name)) {
    const name = toolNameOf(operation);
    if (!toolName.test(name)) {
      yield errorAt(operation, `"${name}" is no name of a tool; use up to 64 letters, digits, "_" and "-".`);
    }
    const other = operations.find(
      candidate => candidate !== operation && [candidate.name, toolNameOf(candidate)].includes(name),
    );
    if (other)
      yield errorAt(operation, `The name of the tool, ${name}, is that of the operation ${other.name}; rename it.`);
  }
}

/** An error at the place of an operation in its file. */
export function errorAt({ document, name }: BodyOperation, message: string): GraphQLError {
  return new GraphQLError(message, { nodes: getOperationAST(document, name) ?? null });
}

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
  { operations, messages, isBuiltIn }: Contract,
  limit: number,
): Generator<GraphQLError> {
  for (const operation of [...operations, ...messages]) {
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
function largestCost(schema: GraphQLSchema, { document, name, parameters }: BodyOperation) {
  const fieldCosts = readFieldCosts(schema);
  const unbounded: ArgumentNode[] = [];
  const variables: Record<string, number> = {};
  const typeInfo = new TypeInfo(schema);
  visit(
    document,
    visitWithTypeInfo(typeInfo, {
      Argument(node) {
        const field = typeInfo.getFieldDef();
        for (const slicing of (field && fieldCosts.get(field)?.slicingArguments) ?? []) {
          const { node: value } = nodeAt(node.value, slicing.path);
          if (slicing.name !== node.name.value || slicing.isList || value?.kind !== Kind.VARIABLE) continue;
          const variable = value.name.value;
          const parameter = parameters.find(
            candidate => (candidate.mapped?.[0]?.path?.join('.') ?? candidate.name) === variable,
          );
          if (parameter?.max === undefined) {
            unbounded.push(node);
            continue;
          }
          // Without the variable, the default of the argument holds.
          const mayBeAbsent = !parameter.required && parameter.defaultValue === undefined;
          const inPlace = mayBeAbsent && typeof slicing.defaultValue === 'number' ? slicing.defaultValue : 0;
          variables[variable] = Math.max(parameter.max, inPlace, variables[variable] ?? 0);
        }
      },
    }),
  );
  return { cost: createCostOf(schema)(document, name, variables), unbounded };
}
