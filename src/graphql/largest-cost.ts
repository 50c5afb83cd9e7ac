import {
  type ArgumentNode,
  type DocumentNode,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { readFieldCosts } from './list-size.ts';
import { analyzeOperation } from './query-cost.ts';

/** The greatest value of a variable; undefined where nothing bounds it. */
export type Bounds = ReadonlyMap<string, { readonly max: number | undefined; readonly mayBeAbsent: boolean }>;

export interface LargestCost {
  readonly cost: number;
  /** Variables without a bound that say how long a list is. */
  readonly unbounded: readonly ArgumentNode[];
}

/** Creates the function that computes the most that an operation can cost, by the bounds of its variables; lists in them count as absent. */
export function createLargestCost(schema: GraphQLSchema) {
  const fieldCosts = readFieldCosts(schema);
  return (document: DocumentNode, operationName: string, bounds: Bounds): LargestCost => {
    const operation = getOperationAST(document, operationName);
    if (!operation) throw new Error(`The document has no operation ${operationName}`);
    const unbounded: ArgumentNode[] = [];
    const variables: Record<string, number> = {};
    const typeInfo = new TypeInfo(schema);
    visit(
      document,
      visitWithTypeInfo(typeInfo, {
        Argument(node) {
          const field = typeInfo.getFieldDef();
          const slicing = field && fieldCosts.get(field)?.slicingArguments.find(({ name }) => name === node.name.value);
          if (!slicing || slicing.isList || node.value.kind !== Kind.VARIABLE) return;
          const name = node.value.name.value;
          const { max, mayBeAbsent = false } = bounds.get(name) ?? {};
          if (max === undefined) return void unbounded.push(node);
          // Without the variable, the default of the argument holds.
          const inPlace = mayBeAbsent && typeof slicing.defaultValue === 'number' ? slicing.defaultValue : 0;
          variables[name] = Math.max(max, inPlace, variables[name] ?? 0);
        },
      }),
    );
    return { cost: analyzeOperation(operation, { schema, fieldCosts, document, variables })?.cost ?? 0, unbounded };
  };
}
