import {
  GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLObjectType,
  type GraphQLScalarType,
  type GraphQLSchema,
  getArgumentValues,
  getNullableType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';
import { bodyFieldsOf, isOwnType, snakeCase, toSnakeValue } from '../input/names.ts';
import { type DeprecationExtension, deprecationAt, describeDeprecated } from './deprecation.ts';
import { inheritDescription } from './descriptions.ts';
import { type Annotated, directiveAt, type ValueMapping } from './directives.ts';
import type { createOutputTypes } from './outputs.ts';
import type { ContractSources, Report } from './sources.ts';

/** The extensions of an input field of the derived schema. */
export type InputExtensions = DeprecationExtension & {
  readonly length?: { readonly min: number; readonly max: number } | undefined;
  /** The values of callers in place of those of the graph. */
  readonly values?: readonly ValueMapping[] | undefined;
  /** The digits of a decimal number after its point. */
  readonly digits?: number | undefined;
  /** By which it is mapped to the graph, apart from its values. */
  readonly directives?: readonly OwnDirective[] | undefined;
};

interface OwnDirective {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** What is no part of a mapping, or is `values`. */
const besideMapping = new Set(['example', 'values', 'deprecated']);

/** What the directives of a field of an own input type say. */
export function ownExtensions(schema: GraphQLSchema, node: Annotated | null | undefined): InputExtensions {
  if (!node) return {};
  const directives = node.directives?.flatMap((directive): OwnDirective[] => {
    const { value: name } = directive.name;
    const definition = schema.getDirective(name);
    return definition && !besideMapping.has(name)
      ? [{ name, arguments: getArgumentValues(definition, directive) }]
      : [];
  });
  return {
    values: directiveAt(schema, 'values', node)?.map,
    digits: directiveAt(schema, 'decimal', node)?.digits,
    directives,
    deprecation: directiveAt(schema, 'deprecated', node),
  };
}

/** The name of a field of the graph in bodies; those of root fields and types are not among them. */
export const nameInBodies = (schema: GraphQLSchema) => (name: string) => {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  return name.includes('.') || roots.some(root => root?.getFields()[name]) ? undefined : snakeCase(name);
};

/** Derives the types of request bodies: the graph's input types with snake_case fields and documented names. */
export function createInputTypes(
  { schema, inputs, ownInputs }: ContractSources,
  outputs: ReturnType<typeof createOutputTypes>,
) {
  const documented = new Map(inputs.map(node => [node.name.value, directiveAt(schema, 'documented', node)?.as]));
  const types = new Map<string, GraphQLInputObjectType>();

  function of(type: GraphQLInputType, leaf?: GraphQLScalarType): GraphQLInputType {
    if (isNonNullType(type)) return new GraphQLNonNull(getNullableType(of(type.ofType, leaf)));
    if (isListType(type)) return new GraphQLList(of(type.ofType, leaf));
    if (!isInputObjectType(type)) return leaf ?? outputs.leaf(type);
    const derived = types.get(type.name) ?? deriveObject(type);
    types.set(type.name, derived);
    return derived;
  }

  function deriveObject(type: GraphQLInputObjectType): GraphQLInputObjectType {
    const documentedName = documented.get(type.name) ?? type.name;
    const names = new Map(bodyFieldsOf(type).map(({ name, bodyName }) => [name, bodyName]));
    const inherit = (description: string | null | undefined) =>
      inheritDescription(description, { names, otherName: nameInBodies(schema) });
    return new GraphQLInputObjectType({
      // A GraphQL schema cannot have an input and an output type of one name; OpenAPI can, if their fields are equal.
      name: outputs.types.get(documentedName) ? `${documentedName}Input` : documentedName,
      description: inherit(type.description),
      extensions: { documentedName, ...(isOwnType(type) && ownExtensions(schema, type.astNode)) },
      fields: () =>
        Object.fromEntries(
          bodyFieldsOf(type).map(({ bodyName, type: fieldType, description, defaultValue, astNode }) => {
            const extensions: InputExtensions = {
              length: astNode ? directiveAt(schema, 'length', astNode) : undefined,
              ...(isOwnType(type) && ownExtensions(schema, astNode)),
            };
            const preset = toSnakeValue(fieldType, defaultValue);
            const text = describeDeprecated(extensions.deprecation, inherit(description));
            return [bodyName, { type: of(fieldType), description: text, defaultValue: preset, extensions }];
          }),
        ),
    });
  }

  /** Reports own types that share their name with an output type, or that no route takes, and inputs that share the documented name of an output type but not its fields. */
  function checkNames(report: Report): void {
    for (const node of ownInputs) {
      const name = node.name.value;
      for (const field of node.fields ?? []) deprecationAt(schema, field, report);
      if (outputs.types.has(name)) report(`The type of a response has the name ${name}, too; rename this one.`, node);
    }
    for (const node of inputs) {
      const input = types.get(node.name.value);
      const output = input && outputs.types.get(documentedNameOf(input));
      if (!input) report(`No operation takes a ${node.name.value}.`, node);
      else if (output && printFields(input) !== printFields(output)) {
        report(`${node.name.value} is documented as ${output.name} but has other fields than that type.`, node);
      }
    }
  }

  return { of, checkNames };
}

/** The name of a derived input type in the OpenAPI document. */
export function documentedNameOf({ name, extensions }: GraphQLInputObjectType): string {
  return typeof extensions.documentedName === 'string' ? extensions.documentedName : name;
}

function printFields(type: GraphQLInputObjectType | GraphQLObjectType): string {
  const fields = Object.values(type.getFields()).map(field => `${field.name}: ${field.type}`.replace(/Input\b/, ''));
  return fields.sort().join(', ');
}
