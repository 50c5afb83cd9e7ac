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

/** Values of a store that tell whether its configuration or its orders have changed, by their fields' names in the graph. */
export type Revisions = Readonly<Record<string, unknown>>;

/** Reads these values of the stamp of a store; undefined where there is none in scope. */
export type ReadRevisions<Caller> = (
  caller: Caller,
  asked: { readonly storeId: string; readonly names: readonly string[] },
) => Promise<Revisions | undefined>;

export interface StoreRoot {
  readonly node: FieldNode;
  readonly storeIdOf: (variables: Readonly<Record<string, unknown>>) => string;
}

/** The one root field of a query, where the schema says that it leads to the store with a given id. */
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
  const mark = getDirectiveValues(directive, field.astNode);
  if (!mark) return undefined;
  return { node: root.node, storeIdOf: compileStoreId(field, root.node, String(mark.argument)) };
}

function compileStoreId(
  field: GraphQLField<unknown, unknown>,
  node: FieldNode,
  argument: string,
): StoreRoot['storeIdOf'] {
  const given = node.arguments?.find(({ name }) => name.value === argument)?.value;
  if (given?.kind !== Kind.VARIABLE)
    return variables => String(getArgumentValues(field, node, { ...variables })[argument]);
  const name = given.name.value;
  // Nearly always, and without building all arguments.
  return variables => String(variables[name]);
}
