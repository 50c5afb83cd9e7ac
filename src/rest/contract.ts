import { type Contract, loadBuiltIn } from '@carte/operations/contract/contract';
import type { GraphQLSchema } from 'graphql';
import { readV1 } from './sets.ts';

/** Loads the contract of the nine routes from schema/rest. */
export const loadContract = (graph: GraphQLSchema): Contract => loadBuiltIn(graph, readV1());
