import { GraphQLError, type GraphQLSchema } from 'graphql';
import { operationOf } from '../../execution/selected-fields.ts';
import { type Contract, loadContract, type Operation, readContract } from './contract.ts';
import { readBuiltInSets, type SetFiles } from './folders.ts';
import { conflictOf } from './reserved-paths.ts';
import { ContractError } from './sources.ts';

/** Checks a valid set further, e.g. for its cost. */
export type CheckSet = (contract: Contract) => readonly GraphQLError[];

/** Reads the sets that come with Carte and an operator's, the nine routes of `v1` first; throws once, with the errors of all. */
export function readSets(
  graph: GraphQLSchema,
  operatorSets: readonly SetFiles[],
  check: CheckSet = () => [],
): readonly Contract[] {
  const errors: Error[] = [];
  const sets = [...readBuiltInSets(), ...operatorSets].flatMap(files => {
    try {
      const contract = files.name === 'v1' ? loadContract(graph) : readContract(graph, files);
      errors.push(...check(contract));
      return [contract];
    } catch (error) {
      if (!(error instanceof ContractError)) throw error;
      errors.push(...error.errors);
      return [];
    }
  });
  errors.push(...conflictsBetween(sets));
  if (errors.length > 0) throw new ContractError(errors);
  return sets;
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

/** An error at the place of an operation in its file. */
export function errorAt({ document, name }: Operation, message: string): GraphQLError {
  return new GraphQLError(message, { nodes: operationOf(document, name) ?? null });
}
