import { hash } from 'node:crypto';
import { type Contract, type Operation, rootFieldOf } from '@carte/operations/contract/contract';
import type { Audience } from '@carte/operations/execute';
import { fragmentsOf, selectedFields } from '@carte/operations/execution/selected-fields';
import {
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getOperationAST,
  isNonNullType,
  isObjectType,
  Kind,
  print,
  type SelectionNode,
} from 'graphql';
import { differsForGuests } from '../execution/cacheable.ts';
import { isForGuests } from '../graphql/authorization.ts';
import type { Caller } from '../scope.ts';

/** Guests, who may read less than a secret key. */
export const createGuests = (graph: GraphQLSchema): Audience<Caller> => ({
  includes: ({ scope }) => scope.publishable === true,
  reduce(contract, operation) {
    const reduced = operationForGuests(graph, contract, operation);
    // With a hash of its own, by which its responses and ETags are other ones.
    return differsForGuests(graph, reduced.document) ? { ...reduced, hash: `${reduced.hash}g` } : reduced;
  },
});

/**
 * The operation of a route for guests: without values that they may not read and the body need not have, such as the contacts of a store. Where
 * it selects more that they may not read, it is the same, which authorization refuses.
 */
function operationForGuests(graph: GraphQLSchema, contract: Contract, operation: Operation): Operation {
  const node = getOperationAST(operation.document, operation.name);
  const root = node && graph.getRootType(node.operation);
  if (!node || !root) throw new Error(`The graph has no operation ${operation.name}`);
  const fragments = fragmentsOf(operation.document);
  let [hasOmitted, isForbidden] = [false, false];

  /** `body` is the documented type of the selections; undefined on the path to it. */
  function select(
    selections: readonly SelectionNode[],
    type: GraphQLOutputType,
    { path, body }: { readonly path: readonly string[]; readonly body: GraphQLOutputType | undefined },
  ): FieldNode[] {
    const fields = typeFields(type);
    const documented = body && typeFields(body);
    return selectedFields(selections, fragments).flatMap(({ key, node: selected, selections: inner }) => {
      const field = fields[selected.name.value];
      if (!field) return [selected];
      const bodyField = documented?.[key];
      if (!isForGuests(field)) {
        if (bodyField && !isNonNullType(bodyField.type) && !selected.selectionSet) hasOmitted = true;
        else isForbidden = true;
        return [];
      }
      if (!selected.selectionSet) return [selected];
      const [next, ...rest] = path;
      const isBody = next === key && rest.length === 0;
      const below = isBody ? rootFieldOf(contract, operation).type : bodyField?.type;
      const selectionSet = {
        kind: Kind.SELECTION_SET,
        selections: select(inner, field.type, { path: next === key ? rest : [], body: below }),
      } as const;
      return [{ ...selected, selectionSet }];
    });
  }

  const selections = select(node.selectionSet.selections, root, { path: operation.bodyPath, body: undefined });
  if (!hasOmitted || isForbidden) return operation;
  const selectionSet = { ...node.selectionSet, selections };
  const document: DocumentNode = { kind: Kind.DOCUMENT, definitions: [{ ...node, selectionSet }] };
  return { ...operation, document, hash: hash('sha256', print(document), 'hex').slice(0, operation.hash.length) };
}

function typeFields(type: GraphQLOutputType): Readonly<Record<string, GraphQLField<unknown, unknown>>> {
  const named = getNamedType(type);
  return isObjectType(named) ? named.getFields() : {};
}
