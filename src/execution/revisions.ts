import {
  type FieldNode,
  type GraphQLField,
  type GraphQLSchema,
  getArgumentValues,
  getDirectiveValues,
  Kind,
  type OperationDefinitionNode,
} from 'graphql';
import { type Fragments, selectedFields } from './selected-fields.ts';

/** Revisions of a store, of its menu configuration or its orders, by the names of their fields in the graph. */
export type Revisions = Readonly<Record<string, unknown>>;

/** Reads the named revisions of a store; undefined where the store is not in the caller's scope. */
export type ReadRevisions<Caller> = (
  caller: Caller,
  store: { readonly storeId: string; readonly names: readonly string[] },
) => Promise<Revisions | undefined>;

/** A root field that loads a store by id. */
export interface StoreRoot {
  readonly node: FieldNode;
  readonly storeIdOf: (variables: Readonly<Record<string, unknown>>) => string;
}

/** The root field of a query with no other, where the schema marks it `@storeById`. */
export function storeRootOf(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  fragments: Fragments,
): StoreRoot | undefined {
  if (operation.operation !== 'query') return undefined;
  const [root, ...others] = selectedFields(operation.selectionSet.selections, fragments);
  const field = root && schema.getQueryType()?.getFields()[root.node.name.value];
  const directive = schema.getDirective('storeById');
  if (!root || !field?.astNode || !directive || others.length > 0) return undefined;
  const storeById = getDirectiveValues(directive, field.astNode);
  if (!storeById) return undefined;
  return { node: root.node, storeIdOf: compileStoreId(field, root.node, String(storeById.argument)) };
}

function compileStoreId(
  field: GraphQLField<unknown, unknown>,
  node: FieldNode,
  argument: string,
): StoreRoot['storeIdOf'] {
  const value = node.arguments?.find(({ name }) => name.value === argument)?.value;
  if (value?.kind !== Kind.VARIABLE) {
    return variables => String(getArgumentValues(field, node, { ...variables })[argument]);
  }
  // The common case, without coercing all arguments.
  const name = value.name.value;
  return variables => String(variables[name]);
}
