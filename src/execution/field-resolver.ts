import {
  defaultFieldResolver,
  type FieldNode,
  type GraphQLField,
  type GraphQLResolveInfo,
  getArgumentValues,
  Kind,
  type ValueNode,
} from 'graphql';
import type { Rendering, RenderingOptions } from './rendering.ts';
import type { Fragments, ResolveInfo, SelectedField } from './selected-fields.ts';

type Variables = RenderingOptions['variables'];

/** Calls the resolver of a field with the arguments that the document gives it. */
export function compileResolver(
  field: GraphQLField<unknown, unknown>,
  { node, selections }: Pick<SelectedField, 'node' | 'selections'>,
  fragments: Fragments,
) {
  const { name, resolve } = field;
  if (!resolve || resolve === defaultFieldResolver) {
    return (object: unknown): unknown => (object as Readonly<Record<string, unknown>>)[name];
  }
  const partial: ResolveInfo = {
    fieldName: name,
    fieldNodes: [{ ...node, selectionSet: { kind: Kind.SELECTION_SET, selections } }],
    fragments: Object.fromEntries(fragments),
  };
  // The types of our resolvers have no more of it (codegen.yml).
  const info = partial as GraphQLResolveInfo;
  if (field.args.length === 0) return (object: unknown, { context }: Rendering) => resolve(object, {}, context, info);
  const readArguments = compileArguments(field, node);
  return (object: unknown, rendering: Rendering): unknown => {
    let args = rendering.args.get(info);
    if (!args) {
      args = readArguments(rendering.variables);
      rendering.args.set(info, args);
    }
    return resolve(object, args, rendering.context, info);
  };
}

/** Reads arguments as `getArgumentValues` does, which coerces every literal in each request. */
function compileArguments(field: GraphQLField<unknown, unknown>, node: FieldNode) {
  const variableOf = new Map<string, string>();
  for (const { name, value } of node.arguments ?? []) {
    if (value.kind === Kind.VARIABLE) variableOf.set(name.value, value.name.value);
    else if (hasVariable(value)) return (variables: Variables) => getArgumentValues(field, node, { ...variables });
  }
  const others = { ...field, args: field.args.filter(({ name }) => !variableOf.has(name)) };
  const constants = getArgumentValues(others, node);
  return (variables: Variables): Record<string, unknown> => {
    const args = { ...constants };
    for (const [name, variable] of variableOf) {
      const value = variables[variable];
      // The default of the argument applies, or null, or an error.
      if (value === undefined || value === null) return getArgumentValues(field, node, { ...variables });
      args[name] = value;
    }
    return args;
  };
}

function hasVariable(value: ValueNode): boolean {
  if (value.kind === Kind.LIST) return value.values.some(hasVariable);
  if (value.kind === Kind.OBJECT) return value.fields.some(field => hasVariable(field.value));
  return value.kind === Kind.VARIABLE;
}
