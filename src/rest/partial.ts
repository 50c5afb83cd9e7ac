import { type FieldNode, type GraphQLSchema, Kind, type ValueNode } from 'graphql';
import { operationOf } from '../cache/selected-fields.ts';
import type { CheckPartialInput } from '../errors.ts';
import type { RequestError } from '../input/validation-errors.ts';
import type { Variables } from './compile.ts';
import type { Operation } from './contract/contract.ts';
import { placeOf } from './error-paths.ts';

/** The errors that a domain finds in what could be read of a request. */
export function compileCheckPart(graph: GraphQLSchema, operation: Operation): (variables: Variables) => RequestError[] {
  const node = operationOf(operation.document, operation.name);
  const [root] = node?.selectionSet.selections ?? [];
  if (!node || root?.kind !== Kind.FIELD) return () => [];
  const extensions: { readonly checkPart?: CheckPartialInput } | undefined = graph
    .getRootType(node.operation)
    ?.getFields()[root.name.value]?.extensions;
  const check = extensions?.checkPart;
  if (!check) return () => [];
  const field = [(root.alias ?? root.name).value];
  return variables =>
    check(argumentsOf(root, variables)).map(({ path, type, message }) => {
      return { loc: placeOf(operation, field, path), msg: message, type };
    });
}

function argumentsOf({ arguments: nodes = [] }: FieldNode, variables: Variables): Record<string, unknown> {
  return Object.fromEntries(nodes.map(({ name, value }) => [name.value, valueIn(value, variables)]));
}

/** As far as the texts of operations go: variables, and objects of them, which leave out what was not given. */
function valueIn(node: ValueNode, variables: Variables): unknown {
  if (node.kind === Kind.VARIABLE) return variables[node.name.value];
  if (node.kind !== Kind.OBJECT) return undefined;
  const given = node.fields.filter(
    ({ value }) => value.kind !== Kind.VARIABLE || Object.hasOwn(variables, value.name.value),
  );
  return Object.fromEntries(given.map(({ name, value }) => [name.value, valueIn(value, variables)]));
}
