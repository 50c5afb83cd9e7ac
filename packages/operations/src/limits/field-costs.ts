import { memoize } from '@carte/base/memoize';
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isObjectType,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
} from 'graphql';
import { directiveOf } from '../execution/selected-fields.ts';

export type Field = GraphQLField<unknown, unknown>;
type FieldCosts = ReadonlyMap<Field, FieldCost>;
export type FieldCost = ReturnType<typeof readFieldCost>;

/** Assumed for lists without `@listSize`; a test ensures that the graph has none. */
const defaultSize = 100;

/** Assumed sizes of the introspection lists, which cannot carry directives; close to those of the graph. */
const introspectionSizes: Readonly<Record<string, number>> = {
  '__Schema.types': 60,
  '__Schema.directives': 10,
  '__Type.fields': 10,
  '__Type.interfaces': 1,
  '__Type.possibleTypes': 2,
  '__Type.enumValues': 10,
  '__Type.inputFields': 10,
  '__Field.args': 3,
  '__Directive.args': 3,
  '__Directive.locations': 5,
};

/** Reads `@listSize` and `@cost` of every field, once for a schema; throws where a directive names an argument or field that does not exist. */
export const readFieldCosts = memoize((schema: GraphQLSchema): FieldCosts => {
  const costs = new Map<Field, FieldCost>();
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) && !isInterfaceType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      costs.set(field, readFieldCost(schema, field, `${type.name}.${field.name}`));
    }
  }
  for (const field of [SchemaMetaFieldDef, TypeMetaFieldDef]) {
    costs.set(field, readFieldCost(schema, field, field.name));
  }
  markSizedFields(costs);
  return costs;
});

/** Reads the static cost of a field, from its type and from `@listSize` and `@cost`. */
function readFieldCost(schema: GraphQLSchema, field: Field, coordinate: string) {
  const listSize = directiveOf(schema, 'listSize', field);
  return {
    type: getNamedType(field.type),
    isList: isListType(getNullableType(field.type)),
    /** In objects. */
    weight: weightOf(schema, field),
    argumentCosts: readInputCosts(schema, field.args),
    assumedSize: Number(listSize?.assumedSize ?? introspectionSizes[coordinate] ?? defaultSize),
    slicingArguments: stringsOf(listSize?.slicingArguments).map(text => {
      const [name = '', ...path] = text.split('.');
      const argument = findInput(field.args, name, path);
      if (!argument) throw new Error(`@listSize names ${coordinate}(${text}:), which is not an argument`);
      // The length of a list counts, instead of its value.
      const isList = isListType(getNullableType(argument.type));
      return { name, path, isList, defaultValue: argument.defaultValue };
    }),
    /** List fields of the returned object whose length the slicing arguments give. */
    sizedFields: stringsOf(listSize?.sizedFields),
    /** Whether the field is among the `sizedFields` of its parent field. */
    isSizedByParent: false,
  };
}

/** Finds an argument or, with the path of `input.ids`, a field of its input object. */
function findInput(
  inputs: readonly (GraphQLArgument | GraphQLInputField)[],
  name: string,
  [next, ...below]: readonly string[],
): GraphQLArgument | GraphQLInputField | undefined {
  const found = inputs.find(input => input.name === name);
  if (next === undefined || !found) return found;
  const type = getNullableType(found.type);
  return isInputObjectType(type) ? findInput(Object.values(type.getFields()), next, below) : undefined;
}

function markSizedFields(costs: Map<Field, FieldCost>): void {
  for (const { type, sizedFields } of [...costs.values()]) {
    for (const name of sizedFields) {
      const field = isObjectType(type) ? type.getFields()[name] : undefined;
      const cost = field && costs.get(field);
      if (!field || !cost?.isList) throw new Error(`@listSize names ${type.name}.${name}, which is not a list`);
      costs.set(field, { ...cost, isSizedByParent: true });
    }
  }
}

const weightOf = (schema: GraphQLSchema, annotated: Field | GraphQLArgument | GraphQLInputField) =>
  Number(directiveOf(schema, 'cost', annotated)?.weight ?? 0);

const stringsOf = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);

/** What a value costs that a caller gives for an argument or input field, by `@cost` there and on the input fields below. */
interface InputCost {
  /** For the value, or for each element of a list. */
  readonly weight: number;
  readonly isList: boolean;
  /** Input fields that cost something, of the value or of each element. */
  readonly fields: InputCosts;
}

/** By the name of the argument or input field. */
type InputCosts = ReadonlyMap<string, InputCost>;

/** Reads `@cost` of arguments or input fields, and of the input objects below; those without are left out. */
function readInputCosts(
  schema: GraphQLSchema,
  inputs: readonly (GraphQLArgument | GraphQLInputField)[],
  parents: readonly GraphQLNamedType[] = [],
): InputCosts {
  const costs = inputs.map((input): [string, InputCost] => {
    const type = getNamedType(input.type);
    // A type that contains itself counts once.
    const below = isInputObjectType(type) && !parents.includes(type) ? Object.values(type.getFields()) : [];
    const isList = isListType(getNullableType(input.type));
    const fields = below.length > 0 ? readInputCosts(schema, below, [...parents, type]) : new Map();
    return [input.name, { weight: weightOf(schema, input), isList, fields }];
  });
  return new Map(costs.filter(([, { weight, fields }]) => weight > 0 || fields.size > 0));
}

/** Computes the cost of values as they are sent, before coercion: what has a wrong type costs little, since it is rejected. */
export class InputAnalysis {
  /** A document may use one long list in many fields. */
  readonly #costsOfLists = memoize((cost: InputCost) =>
    memoize((list: readonly unknown[]) => list.reduce<number>((sum, each) => sum + this.#costOfElement(cost, each), 0)),
  );

  costOf(cost: InputCost, value: unknown): number {
    if (value === null || value === undefined) return 0;
    if (!cost.isList || !Array.isArray(value)) return this.#costOfElement(cost, value);
    if (cost.fields.size === 0) return cost.weight * value.length;
    return this.#costsOfLists(cost)(value);
  }

  #costOfElement({ weight, fields }: InputCost, value: unknown): number {
    if (fields.size === 0 || typeof value !== 'object' || value === null) return weight;
    let sum = weight;
    for (const [name, field] of fields) {
      if (Object.hasOwn(value, name)) sum += this.costOf(field, value[name as keyof typeof value]);
    }
    return sum;
  }
}
