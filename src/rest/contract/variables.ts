import {
  type GraphQLSchema,
  isInputObjectType,
  Kind,
  type OperationDefinitionNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';

/** What the graph says of the arguments and input fields that an operation's variables go to. */
export function describeVariables(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
): ReadonlyMap<string, string> {
  const descriptions = new Map<string, string>();
  const typeInfo = new TypeInfo(schema);
  const remember = (variable: string, description: string | null | undefined) => {
    if (description) descriptions.set(variable, description);
  };
  visit(
    operation,
    visitWithTypeInfo(typeInfo, {
      Argument({ value }) {
        if (value.kind === Kind.VARIABLE) remember(value.name.value, typeInfo.getArgument()?.description);
      },
      ObjectField({ name, value }) {
        const parent = typeInfo.getParentInputType();
        if (value.kind !== Kind.VARIABLE || !isInputObjectType(parent)) return;
        remember(value.name.value, parent.getFields()[name.value]?.description);
      },
    }),
  );
  return descriptions;
}
