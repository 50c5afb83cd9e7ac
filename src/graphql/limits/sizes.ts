import {
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getDirectiveValues,
  getNamedType,
  getNullableType,
  isInterfaceType,
  isListType,
  isObjectType,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
} from 'graphql';

/** What is known of a field before anything runs. */
export interface FieldSize {
  readonly type: GraphQLNamedType;
  readonly isList: boolean;
  /** Objects that the field costs by itself. */
  readonly weight: number;
  readonly assumedSize: number;
  /** The arguments that say how long the list is, each with its default. */
  readonly slicing: readonly { readonly name: string; readonly fallback: unknown }[];
  /** The names of the lists in its object that the slicing arguments are about. */
  readonly sizedFields: readonly string[];
  /** The field that leads to its object says how long the list is. */
  readonly isSizedAbove: boolean;
}

export type Field = GraphQLField<unknown, unknown>;
export type FieldSizes = ReadonlyMap<Field, FieldSize>;

/** Where nothing is said of a list: a test refuses that, but for lists that are not ours. */
const unknownSize = 100;

/** The lists of introspection, which no directive can be put on; about as long as those of the graph. */
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

/** What `@listSize` and `@cost` say of every field of the graph. */
export function readSizes(schema: GraphQLSchema): FieldSizes {
  const sizes = new Map<Field, FieldSize>();
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) && !isInterfaceType(type)) continue;
    for (const field of Object.values(type.getFields()))
      sizes.set(field, sizeOf(schema, `${type.name}.${field.name}`, field));
  }
  for (const field of [SchemaMetaFieldDef, TypeMetaFieldDef]) sizes.set(field, sizeOf(schema, field.name, field));
  markSizedAbove(sizes);
  return sizes;
}

function sizeOf(schema: GraphQLSchema, name: string, field: Field): FieldSize {
  const listSize = directiveOf(schema, 'listSize', field);
  const type = getNamedType(field.type);
  return {
    type,
    isList: isListType(getNullableType(field.type)),
    weight: numberOr(directiveOf(schema, 'cost', field)?.weight, 0),
    assumedSize: numberOr(listSize?.assumedSize, introspectionSizes[name] ?? unknownSize),
    slicing: namesIn(listSize?.slicingArguments).map(argument => slicingArgument(name, field, argument)),
    sizedFields: namesIn(listSize?.sizedFields),
    isSizedAbove: false,
  };
}

function slicingArgument(fieldName: string, { args }: Field, name: string) {
  const argument = args.find(candidate => candidate.name === name);
  if (!argument) throw new Error(`@listSize names ${fieldName}(${name}:), which is no argument`);
  return { name, fallback: argument.defaultValue };
}

function markSizedAbove(sizes: Map<Field, FieldSize>): void {
  for (const { type, sizedFields } of [...sizes.values()]) {
    for (const name of sizedFields) {
      const field = isObjectType(type) ? type.getFields()[name] : undefined;
      const size = field && sizes.get(field);
      if (!field || !size?.isList) throw new Error(`@listSize names ${type.name}.${name}, which is no list`);
      sizes.set(field, { ...size, isSizedAbove: true });
    }
  }
}

function directiveOf(schema: GraphQLSchema, name: string, { astNode }: Field) {
  const directive = schema.getDirective(name);
  return directive && astNode ? getDirectiveValues(directive, astNode) : undefined;
}

const numberOr = (value: unknown, fallback: number) => (typeof value === 'number' ? value : fallback);

const namesIn = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);
