import type { Operation } from '@carte/operations/contract/contract';
import type { OperationRevisions } from '@carte/operations/execute';
import { fragmentsOf, operationOf } from '@carte/operations/execution/selected-fields';
import type { GraphQLSchema } from 'graphql';
import type { Caller } from '../auth/key-cache.ts';
import { isCacheable, type ReadRevisions, storeRootOf } from '../execution/cacheable.ts';

/** Finds the revisions of a store that the ETag of an operation is made of, where it depends on nothing else. */
export const createRevisionsOf =
  (graph: GraphQLSchema, readRevisions: ReadRevisions<Caller>) =>
  ({ document, name, revisionFields: names }: Operation): OperationRevisions<Caller> | undefined => {
    const node = operationOf(document, name);
    const root = node && storeRootOf(graph, node, fragmentsOf(document));
    if (!root || names.length === 0) return undefined;
    return {
      isCacheable: isCacheable(graph, document, name),
      async read(variables, caller) {
        const revisions = await readRevisions(caller, { storeId: root.storeIdOf(variables), names });
        const values = revisions && names.map(revision => revisions[revision]);
        if (values?.includes(undefined)) throw new Error(`A store has no ${names.join(', ')}`);
        return values;
      },
    };
  };
