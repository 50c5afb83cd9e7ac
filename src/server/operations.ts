import type { Contract } from '@carte/operations/contract/contract';
import type { SetFiles } from '@carte/operations/contract/folders';
import { createSetLimits, errorAt, readSets } from '@carte/operations/contract/sets';
import type { SetLimits } from '@carte/operations/contract/sources';
import { type GraphQLArgument, type GraphQLSchema, getNamedType, isInputObjectType } from 'graphql';
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
export function createOwnLimits(schema: GraphQLSchema, graphqlLimits: Config['graphqlLimits']): SetLimits {
  const limits = createSetLimits(schema, graphqlLimits, isReserved);
  return {
    ...limits,
    checkCosts: contract => [...limits.checkCosts(contract), ...checkMessages(contract), ...checkTokens(contract)],
  };
}

/** Operations refuse tokens of guests, which URLs and logs would have: one that takes them could only be 403. */
const checkTokens = ({ operations }: Contract) =>
  operations
    .filter(({ rootField }) => rootField.args.some(takesToken))
    .map(operation => {
      const { name } = operation.rootField;
      return errorAt(
        operation,
        `"${name}" takes a token of a guest, which routes refuse; send it to /graphql, by POST.`,
      );
    });

function takesToken({ name, type }: Pick<GraphQLArgument, 'name' | 'type'>): boolean {
  const named = getNamedType(type);
  return name === 'token' || (isInputObjectType(named) && named.getFields().token !== undefined);
}

/** Webhooks have no permissions but those for reading. */
const checkMessages = ({ messages }: Contract) =>
  messages.flatMap(message => {
    const { name, extensions } = message.rootField;
    return extensions.permission
      ? [
          errorAt(
            message,
            `Webhooks may not read "${name}", which needs ${extensions.permission}; select something else.`,
          ),
        ]
      : [];
  });
