import { isInternal } from '@carte/operations/contract/internal';
import {
  type ConstDirectiveNode,
  type DirectiveNode,
  type GraphQLFieldConfig,
  type GraphQLFieldConfigArgumentMap,
  GraphQLInterfaceType,
  GraphQLList,
  type GraphQLNamedOutputType,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLSchema,
  GraphQLUnionType,
  isCompositeType,
  isInterfaceType,
  isIntrospectionType,
  isListType,
  isNonNullType,
  isObjectType,
  isUnionType,
  Kind,
  visit,
} from 'graphql';
import { acceptCoercedVariables } from './variables.ts';

/**
 * The graph as `/graphql` has it: without the fields and arguments that are marked `@internal`, which named operations of sets select. Scalars, enums and
 * input types are the same; `mapSchema` would copy them all, which takes as long as building the schema.
 */
export function toPublicSchema(schema: GraphQLSchema): GraphQLSchema {
  const copies = new Map<string, GraphQLNamedOutputType>();

  function copyOf<Type extends GraphQLNamedOutputType>(type: Type): Type {
    const known = copies.get(type.name) ?? copy(type);
    copies.set(type.name, known);
    return known as Type;
  }

  function copy(type: GraphQLNamedOutputType): GraphQLNamedOutputType {
    if (isUnionType(type))
      return new GraphQLUnionType({ ...type.toConfig(), types: () => type.getTypes().map(copyOf) });
    if (isObjectType(type)) return new GraphQLObjectType({ ...type.toConfig(), ...membersOf(type) });
    return isInterfaceType(type) ? new GraphQLInterfaceType({ ...type.toConfig(), ...membersOf(type) }) : type;
  }

  const membersOf = (type: GraphQLInterfaceType | GraphQLObjectType) => ({
    interfaces: () => type.getInterfaces().map(copyOf),
    fields: () => fieldsOf(type.toConfig().fields),
  });

  const fieldsOf = (fields: Readonly<Record<string, FieldConfig>>) =>
    Object.fromEntries(
      Object.entries(fields)
        .filter(([, field]) => !isInternal(field))
        .map(([name, field]) => [name, { ...withoutInternalArguments(field), type: wrapped(field.type) }]),
    );

  function wrapped(type: GraphQLOutputType): GraphQLOutputType {
    if (isNonNullType(type)) return new GraphQLNonNull(wrapped(type.ofType));
    if (isListType(type)) return new GraphQLList(wrapped(type.ofType));
    return copyOf(type);
  }

  const { query, mutation, subscription, directives, ...config } = schema.toConfig();
  const composites = Object.values(schema.getTypeMap())
    .filter(isCompositeType)
    .filter(type => !isIntrospectionType(type));
  const shown = new GraphQLSchema({
    ...config,
    assumeValid: true,
    query: query && copyOf(query),
    mutation: mutation && copyOf(mutation),
    subscription: subscription && copyOf(subscription),
    // In their order; of the others, those that are still used.
    types: composites.map(copyOf),
    directives: directives.filter(({ name }) => name !== 'internal'),
  });
  return acceptCoercedVariables(shown);
}

type FieldConfig = GraphQLFieldConfig<unknown, unknown>;

function withoutInternalArguments(field: FieldConfig): FieldConfig {
  const { args = {}, astNode } = field;
  const internal = new Set(Object.entries(args).flatMap(([name, argument]) => (isInternal(argument) ? name : [])));
  if (internal.size === 0) return field;
  const isShown = (name: string) => !internal.has(name);
  const shown: GraphQLFieldConfigArgumentMap = Object.fromEntries(
    Object.entries(args).filter(([name]) => isShown(name)),
  );
  return {
    ...field,
    args: shown,
    astNode: astNode && {
      ...astNode,
      arguments: (astNode.arguments ?? []).filter(({ name }) => isShown(name.value)),
      directives: (astNode.directives ?? []).map(directive => withoutNames(directive, isShown)),
    },
  };
}

/** `@listSize` names arguments. */
const withoutNames = (directive: ConstDirectiveNode, isShown: (name: string) => boolean): ConstDirectiveNode =>
  visit<DirectiveNode>(directive, {
    [Kind.STRING]: ({ value }) => (isShown(value) ? undefined : null),
  }) as ConstDirectiveNode;
