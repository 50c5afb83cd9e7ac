import {
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInterfaceType,
  isListType,
  isObjectType,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
} from 'graphql';
import { directiveOf } from '../execution/selected-fields.ts';
import { type InputCosts, readInputCosts } from './input-cost.ts';

/** Static cost of a field, from its type and from `@listSize` and `@cost`. */
export interface FieldCost {
  readonly type: GraphQLNamedType;
  readonly isList: boolean;
  /** `@cost(weight:)`, in objects. */
  readonly weight: number;
  /** `@cost(weight:)` of the arguments. */
  readonly argumentCosts: InputCosts;
  readonly assumedSize: number;
  readonly slicingArguments: readonly SlicingArgument[];
  /** List fields of the returned object whose length the slicing arguments give. */
  readonly sizedFields: readonly string[];
  /** Whether the field is among the `sizedFields` of its parent field. */
  readonly isSizedByParent: boolean;
}

interface SlicingArgument {
  readonly name: string;
  /** Whether its length counts, instead of its value. */
  readonly isList: boolean;
  readonly defaultValue: unknown;
}

export type Field = GraphQLField<unknown, unknown>;
export type FieldCosts = ReadonlyMap<Field, FieldCost>;

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

/** Reads `@listSize` and `@cost` of every field; throws where a directive names an argument or field that does not exist. */
export function readFieldCosts(schema: GraphQLSchema): FieldCosts {
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
}

function readFieldCost(schema: GraphQLSchema, field: Field, coordinate: string): FieldCost {
  const listSize = directiveOf(schema, 'listSize', field);
  return {
    type: getNamedType(field.type),
    isList: isListType(getNullableType(field.type)),
    weight: numberOr(directiveOf(schema, 'cost', field)?.weight, 0),
    argumentCosts: readInputCosts(schema, field.args),
    assumedSize: numberOr(listSize?.assumedSize, introspectionSizes[coordinate] ?? defaultSize),
    slicingArguments: stringsOf(listSize?.slicingArguments).map(name => {
      const argument = field.args.find(candidate => candidate.name === name);
      if (!argument) throw new Error(`@listSize names ${coordinate}(${name}:), which is not an argument`);
      const isList = isListType(getNullableType(argument.type));
      return { name, isList, defaultValue: argument.defaultValue };
    }),
    sizedFields: stringsOf(listSize?.sizedFields),
    isSizedByParent: false,
  };
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

const numberOr = (value: unknown, fallback: number) => (typeof value === 'number' ? value : fallback);

const stringsOf = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);
