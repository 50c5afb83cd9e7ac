import type { Contract } from '@carte/operations/contract/contract';
import type { SetFiles } from '@carte/operations/contract/folders';
import { createSetLimits, readSets } from '@carte/operations/contract/sets';
import type { SetLimits } from '@carte/operations/contract/sources';
import type { GraphQLSchema } from 'graphql';
import type { Config } from '../config.ts';
import { isReserved, readBuiltInSets, readOwnSets } from '../rest/sets.ts';

/** Loads all sets of operations, those of the operator with their limits checked; throws with every error. */
export function loadOperations(
  schema: GraphQLSchema,
  { operations, graphqlLimits }: Pick<Config, 'operations' | 'graphqlLimits'>,
  operatorSets: readonly SetFiles[] = readOwnSets(operations),
): readonly Contract[] {
  return readSets(schema, [...readBuiltInSets(), ...operatorSets], createOwnLimits(schema, graphqlLimits));
}

/** Creates the limits on the sets of an operator. */
export const createOwnLimits = (schema: GraphQLSchema, limits: Config['graphqlLimits']): SetLimits =>
  createSetLimits(schema, limits, isReserved);
