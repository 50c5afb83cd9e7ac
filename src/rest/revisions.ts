import type { Operation } from '@carte/operations/contract/contract';
import type { OperationRevisions } from '@carte/operations/execute';
import type { DocumentNode, GraphQLSchema } from 'graphql';
import { dependenciesOf, findStoreQuery, isCacheable, type ReadRevisions } from '../execution/cacheable.ts';
import type { Caller } from '../scope.ts';

/** Revisions that the author of an operation marks `@etag`, where callers may read them. */
const marked = ['menuRevision', 'ordersRevision'];

/** Finds the fields of a store on which the body of an operation depends beside its revisions, e.g. the currency. */
export const createDependenciesOf =
  (graph: GraphQLSchema) =>
  ({ document }: Operation) =>
    namesBesideRevisions(graph, document).map(field => ({ type: 'Store', field }));

const namesBesideRevisions = (graph: GraphQLSchema, document: DocumentNode) =>
  dependenciesOf(graph, document).filter(name => !marked.includes(name));

/** Finds the revisions of a store that the ETag of an operation is made of, where it depends on nothing else. */
export const createRevisionsOf =
  (graph: GraphQLSchema, readRevisions: ReadRevisions<Caller>) =>
  ({ document, name, revisionFields }: Operation): OperationRevisions<Caller> | undefined => {
    const query = findStoreQuery(graph, document, name);
    if (!query || revisionFields.length === 0) return undefined;
    const names = [...revisionFields, ...namesBesideRevisions(graph, document)];
    const isCovered = dependenciesOf(graph, document).every(dependency => names.includes(dependency));
    if (!isCovered || !isCacheable(graph, document, name)) return undefined;
    return {
      async read(variables, caller) {
        const revisions = await readRevisions(caller, { storeId: query.storeIdOf(variables), names });
        const values = revisions && names.map(revision => revisions[revision]);
        if (values?.includes(undefined)) throw new Error(`A store has no ${names.join(', ')}`);
        return values && { values, dueInSeconds: revisions.dueInSeconds };
      },
    };
  };
