import { type DirectiveNode, Kind, type OperationDefinitionNode, type ValueNode, valueFromASTUntyped } from 'graphql';

export type Variables = Readonly<Record<string, unknown>>;

/** What the document will be executed with. */
export interface Values {
  of(node: ValueNode): unknown;
  /** Whether `@skip` or `@include` leaves the selection out. */
  leavesOut(directives: readonly DirectiveNode[] | undefined): boolean;
}

/** The variables as they were given, before they are coerced: what is of a wrong type is nobody's size and no condition. */
export function valuesOf({ variableDefinitions = [] }: OperationDefinitionNode, variables: Variables): Values {
  const defaults = new Map(
    variableDefinitions.map(({ variable, defaultValue }) => [variable.name.value, defaultValue]),
  );

  function of(node: ValueNode): unknown {
    if (node.kind === Kind.INT) return Number(node.value);
    if (node.kind === Kind.BOOLEAN) return node.value;
    if (node.kind !== Kind.VARIABLE) return undefined;
    const name = node.name.value;
    const given = Object.hasOwn(variables, name) ? variables[name] : undefined;
    const fallback = defaults.get(name);
    return given === undefined && fallback ? valueFromASTUntyped(fallback) : given;
  }

  return {
    of,
    leavesOut(directives = []) {
      return directives.some(({ name, arguments: args = [] }) => {
        const [condition] = args.filter(argument => argument.name.value === 'if');
        const unwanted = name.value === 'skip' ? true : name.value === 'include' ? false : undefined;
        return condition !== undefined && unwanted !== undefined && of(condition.value) === unwanted;
      });
    },
  };
}
