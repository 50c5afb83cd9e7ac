import {
  type GraphQLArgument,
  type GraphQLEnumType,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLObjectType,
  type GraphQLType,
  isEnumType,
  isInputObjectType,
  isIntrospectionType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredInputField,
} from 'graphql';
import type { Contract } from '../contract/contract.ts';
import type { DeprecationExtension } from '../contract/deprecation.ts';
import { unknownFieldsIn } from '../contract/directives.ts';
import { documentedNameOf, type InputExtensions } from '../contract/inputs.ts';
import type { FieldExtensions } from '../contract/mapped-values.ts';
import { defaultOf, type Parameter } from '../contract/parameters.ts';

/** An object of an OpenAPI document. */
export type Json = Readonly<Record<string, unknown>>;

export const reference = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });

const scalars: Readonly<Record<string, Json>> = {
  ID: { type: 'string' },
  String: { type: 'string' },
  Boolean: { type: 'boolean' },
  Int: { type: 'integer', format: 'int32' },
  SafeInt: {
    type: 'integer',
    format: 'int64',
    minimum: Number.MIN_SAFE_INTEGER,
    maximum: Number.MAX_SAFE_INTEGER,
  },
  Float: { type: 'number', format: 'double' },
  DateTime: { type: 'string', format: 'date-time' },
  StringMap: { type: 'object', additionalProperties: { type: 'string' } },
  StringMaps: { type: 'object', additionalProperties: { type: 'object', additionalProperties: { type: 'string' } } },
  JSONObject: { type: 'object', additionalProperties: true },
};

/** The schema of a derived type; a reference for object and enum types. Absence is in the `required` of the parent. */
export function schemaOf(type: GraphQLType): Json {
  if (isNonNullType(type)) return schemaOf(type.ofType);
  if (isListType(type)) return { type: 'array', items: schemaOf(type.ofType) };
  if (isInputObjectType(type)) return reference(documentedNameOf(type));
  const scalar = scalars[type.name];
  return scalar ?? reference(type.name);
}

/** The schema of a parameter, with its bounds, values and default; `args` have their derived types. */
export function parameterSchema(parameter: Parameter, args: readonly GraphQLArgument[]): Json {
  const { name, min, max, type } = parameter;
  const argument = args.find(candidate => candidate.name === name);
  const preset = defaultOf(parameter);
  const schema = {
    ...schemaOf(argument?.type ?? type),
    ...(min !== undefined && { minimum: min }),
    ...(max !== undefined && { maximum: max }),
    ...(preset !== undefined && { default: preset }),
  };
  return asMapped(schema, argument?.extensions ?? {});
}

/** The schema of an object that has these parameters as fields; `args` have their derived types. */
export function parametersSchema(
  parameters: readonly Parameter[],
  args: readonly GraphQLArgument[],
  { isClosed, hasExamples = false }: { readonly isClosed: boolean; readonly hasExamples?: boolean },
): Json {
  const properties = parameters.map((parameter): readonly [string, Json] => {
    const { name, description, example, deprecation } = parameter;
    const schema = parameterSchema(parameter, args);
    const examples = hasExamples && example !== undefined ? { examples: [example] } : {};
    return [name, withDescription({ ...schema, ...examples, ...deprecated({ deprecation }) }, description)];
  });
  const required = parameters.filter(parameter => parameter.required).map(({ name }) => name);
  return objectSchema({ required, properties, isClosed });
}

/** A schema for every documented type, by its documented name. */
export function typeSchemas({ schema, info }: Contract): Json {
  const isClosed = unknownFieldsIn(info) === 'forbid';
  const roots = new Set<unknown>([schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]);
  const types = Object.values(schema.getTypeMap()).filter(type => !isIntrospectionType(type) && !roots.has(type));
  const inputs = types.filter(isInputObjectType);
  return Object.fromEntries([
    ...inputs.map(type => [documentedNameOf(type), inputSchema(type, isClosed)]),
    // After the inputs: where both have one name, the output type has the better descriptions.
    ...types.filter(isObjectType).map(type => {
      const isInput = inputs.some(input => documentedNameOf(input) === type.name);
      return [type.name, outputSchema(type, isClosed && isInput)];
    }),
    ...types.filter(isEnumType).map(type => [type.name, enumSchema(type)]),
  ]);
}

function inputSchema(type: GraphQLInputObjectType, isClosed: boolean): Json {
  const fields = Object.values(type.getFields());
  return objectSchema({
    description: type.description,
    required: fields.filter(isRequiredInputField).map(field => field.name),
    properties: fields.map(field => {
      const { defaultValue } = field;
      const preset = { ...boundedText(field), ...(defaultValue !== undefined && { default: defaultValue }) };
      return [field.name, withDescription({ ...preset, ...deprecated(field.extensions) }, field.description)];
    }),
    isClosed,
  });
}

/** Strings reject NUL; some have bounds on their length. */
function boundedText({ type, extensions }: GraphQLInputField): Json {
  const { length }: InputExtensions = extensions;
  const schema = asMapped(schemaOf(type), extensions);
  if (schema.enum !== undefined || schema.pattern !== undefined) return schema;
  if (schema.type !== 'string' || schema.format !== undefined) return schema;
  return { ...schema, pattern: '^[^\\u0000]*$', ...(length && { minLength: length.min, maxLength: length.max }) };
}

function outputSchema(type: GraphQLObjectType, isClosed: boolean): Json {
  const fields = Object.values(type.getFields());
  return objectSchema({
    description: type.description,
    required: fields.filter(field => isNonNullType(field.type)).map(field => field.name),
    properties: fields.map(field => {
      const { constant, values }: FieldExtensions = field.extensions;
      const schema = withValues(schemaOf(field.type), { ...(constant !== undefined && { default: constant }) }, values);
      return [field.name, withDescription({ ...schema, ...deprecated(field.extensions) }, field.description)];
    }),
    isClosed,
  });
}

/** Of whatever is deprecated; the description says why. */
export const deprecated = ({ deprecation }: DeprecationExtension): Json => (deprecation ? { deprecated: true } : {});

/** The schema of a field or parameter that is mapped to values or units. */
function asMapped(schema: Json, { values, digits }: InputExtensions): Json {
  if (values) return withValues(schema, {}, values);
  if (digits === undefined || schema.type !== 'string') return schema;
  return {
    ...schema,
    pattern: digits === 0 ? '^-?\\d{1,20}(\\.0{1,20})?$' : `^-?\\d{1,20}(\\.\\d{1,${digits}}0{0,${20 - digits}})?$`,
  };
}

/** With what a schema has beside its type, and the values of callers, which are those of the elements of a list. */
function withValues(schema: Json, more: Json, values: FieldExtensions['values']): Json {
  const { items } = schema as { readonly items?: Json };
  if (items) return { ...schema, ...more, items: withValues(items, {}, values) };
  return { ...schema, ...more, ...(values && { enum: [...new Set(values.map(mapping => mapping.as))] }) };
}

function enumSchema(type: GraphQLEnumType): Json {
  return withDescription({ type: 'string', enum: type.getValues().map(value => value.name) }, type.description);
}

interface ObjectParts {
  readonly description?: string | null | undefined;
  readonly required: readonly string[];
  readonly properties: readonly (readonly [string, Json])[];
  /** Whether other properties are errors. */
  readonly isClosed?: boolean;
}

export function objectSchema({ description, required, properties, isClosed = false }: ObjectParts): Json {
  return withDescription(
    {
      type: 'object',
      ...(required.length > 0 && { required }),
      properties: Object.fromEntries(properties),
      ...(isClosed && { additionalProperties: false }),
    },
    description,
  );
}

export function withDescription(schema: Json, description: string | null | undefined): Json {
  return description ? { ...schema, description } : schema;
}
