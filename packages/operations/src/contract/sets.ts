import { GraphQLError, type GraphQLSchema } from 'graphql';
import { operationOf } from '../execution/selected-fields.ts';
import { type Contract, loadBuiltIn, type Operation, readContract, toolNameOf } from './contract.ts';
import type { SetFiles } from './folders.ts';
import { conflictOf } from './rules.ts';
import { ContractError, type DocumentLimits, rejectErrors, unlimited } from './sources.ts';

/** Limits on sets that do not come with the service. */
export interface SetLimits extends DocumentLimits {
  /** Checks a valid set further, for what its parameters let a caller request; those that come with the service, too. */
  readonly checkCosts: (contract: Contract) => readonly GraphQLError[];
}

/** Reads sets of operations; throws once, with the errors of all. */
export function readSets(
  graph: GraphQLSchema,
  sets: readonly SetFiles[],
  limits: SetLimits = { ...unlimited, checkCosts: () => [] },
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
  const others: { readonly set: string; readonly operation: Operation }[] = [];
  for (const { name: set, operations } of sets) {
    for (const operation of operations) {
      for (const other of others.filter(candidate => candidate.set !== set)) {
        const namesake = operation.name === other.operation.name;
        if (namesake)
          yield errorAt(operation, `The set ${other.set} has an operation ${operation.name}; rename this one.`);
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
export function errorAt({ document, name }: Operation, message: string): GraphQLError {
  return new GraphQLError(message, { nodes: operationOf(document, name) ?? null });
}
