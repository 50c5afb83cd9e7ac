import {
  type ConstValueNode,
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
  Kind,
  type ValueNode,
} from 'graphql';
import { directiveOf } from '../execution/selected-fields.ts';

/** What a value costs that a caller gives for an argument or input field, by `@cost` there and on the input fields below. */
export interface InputCost {
  /** For the value, or for each element of a list. */
  readonly weight: number;
  readonly isList: boolean;
  /** Input fields that cost something, of the value or of each element. */
  readonly fields: InputCosts;
}

/** By the name of the argument or input field. */
export type InputCosts = ReadonlyMap<string, InputCost>;

/** Reads `@cost` of arguments or input fields, and of the input objects below; those without are left out. */
export function readInputCosts(
  schema: GraphQLSchema,
  inputs: readonly (GraphQLArgument | GraphQLInputField)[],
  parents: readonly GraphQLNamedType[] = [],
): InputCosts {
  const costs = inputs.map((input): [string, InputCost] => {
    const { name, type } = input;
    const weight = directiveOf(schema, 'cost', input)?.weight;
    return [
      name,
      {
        weight: typeof weight === 'number' ? weight : 0,
        isList: isListType(getNullableType(type)),
        fields: readFieldsOf(schema, type, parents),
      },
    ];
  });
  return new Map(costs.filter(([, { weight, fields }]) => weight > 0 || fields.size > 0));
}

function readFieldsOf(
  schema: GraphQLSchema,
  inputType: GraphQLInputType,
  parents: readonly GraphQLNamedType[],
): InputCosts {
  const type = getNamedType(inputType);
  // A type that contains itself counts once.
  if (!isInputObjectType(type) || parents.includes(type)) return new Map();
  return readInputCosts(schema, Object.values(type.getFields()), [...parents, type]);
}

/** Computes the cost of values as they are sent, before coercion: what has a wrong type costs little, since it is rejected. */
export class InputAnalysis {
  readonly #variableOf: (name: string) => unknown;
  /** A document may use one long variable in many fields. */
  readonly #costsOfVariables = new Map<InputCost, Map<string, number>>();

  constructor(variableOf: (name: string) => unknown) {
    this.#variableOf = variableOf;
  }

  costOf(
    inputs: InputCosts,
    given: readonly { readonly name: { readonly value: string }; readonly value: ValueNode }[],
  ) {
    let sum = 0;
    for (const { name, value } of given) {
      const cost = inputs.get(name.value);
      if (cost) sum += this.#costOfNode(cost, value);
    }
    return sum;
  }

  #costOfNode(cost: InputCost, node: ValueNode): number {
    if (node.kind === Kind.VARIABLE) return this.#costOfVariable(cost, node.name.value);
    if (node.kind === Kind.NULL) return 0;
    if (!cost.isList || node.kind !== Kind.LIST) return this.#costOfElement(cost, node);
    return node.values.reduce((sum, element) => sum + this.#costOfElement(cost, element), 0);
  }

  #costOfElement(cost: InputCost, node: ValueNode | ConstValueNode): number {
    if (node.kind === Kind.VARIABLE) return costOfElement(cost, this.#variableOf(node.name.value));
    return cost.weight + (node.kind === Kind.OBJECT ? this.costOf(cost.fields, node.fields) : 0);
  }

  #costOfVariable(cost: InputCost, name: string): number {
    const costs = this.#costsOfVariables.get(cost) ?? new Map<string, number>();
    this.#costsOfVariables.set(cost, costs);
    const known = costs.get(name) ?? costOfValue(cost, this.#variableOf(name));
    costs.set(name, known);
    return known;
  }
}

function costOfValue(cost: InputCost, value: unknown): number {
  if (value === null || value === undefined) return 0;
  if (!cost.isList || !Array.isArray(value)) return costOfElement(cost, value);
  if (cost.fields.size === 0) return cost.weight * value.length;
  return value.reduce<number>((sum, element) => sum + costOfElement(cost, element), 0);
}

function costOfElement({ weight, fields }: InputCost, value: unknown): number {
  if (fields.size === 0 || typeof value !== 'object' || value === null) return weight;
  let sum = weight;
  for (const [name, field] of fields) {
    if (Object.hasOwn(value, name)) sum += costOfValue(field, value[name as keyof typeof value]);
  }
  return sum;
}
