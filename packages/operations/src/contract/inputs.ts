import {
  GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNullableType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';
import { snakeCase, toSnakeValue } from '../input/names.ts';
import { inheritDescription } from './descriptions.ts';
import { directiveAt } from './directives.ts';
import type { OutputTypes } from './outputs.ts';
import type { ContractSources, Report } from './sources.ts';

/** The extensions of an input field of the derived schema. */
export type InputExtensions = {
  readonly length?: { readonly min: number; readonly max: number } | undefined;
};

/** The name of a field of the graph in bodies; those of root fields and types are not among them. */
export const nameInBodies = (schema: GraphQLSchema) => (name: string) => {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  return name.includes('.') || roots.some(root => root?.getFields()[name]) ? undefined : snakeCase(name);
};

/** Derives the types of request bodies: the graph's input types with snake_case fields and documented names. */
export class InputTypes {
  readonly #documented: ReadonlyMap<string, string>;
  readonly #schema: GraphQLSchema;
  readonly #outputs: OutputTypes;
  readonly #types = new Map<string, GraphQLInputObjectType>();

  constructor({ schema, inputs }: ContractSources, outputs: OutputTypes) {
    this.#schema = schema;
    this.#outputs = outputs;
    this.#documented = new Map(
      inputs.map(node => [node.name.value, directiveAt(schema, 'documented', node)?.as ?? node.name.value]),
    );
  }

  of(type: GraphQLInputType): GraphQLInputType {
    if (isNonNullType(type)) return new GraphQLNonNull(getNullableType(this.of(type.ofType)));
    if (isListType(type)) return new GraphQLList(this.of(type.ofType));
    return isInputObjectType(type) ? this.#objectType(type) : this.#outputs.leaf(type);
  }

  #objectType(type: GraphQLInputObjectType): GraphQLInputObjectType {
    const known = this.#types.get(type.name);
    if (known) return known;
    const documentedName = this.#documented.get(type.name) ?? type.name;
    const names = new Map(Object.keys(type.getFields()).map(name => [name, snakeCase(name)]));
    const inherit = (description: string | null | undefined) =>
      inheritDescription(description, { names, otherName: nameInBodies(this.#schema) });
    const derived: GraphQLInputObjectType = new GraphQLInputObjectType({
      // A GraphQL schema cannot have an input and an output type of one name; OpenAPI can, if their fields are equal.
      name: this.#outputs.get(documentedName) ? `${documentedName}Input` : documentedName,
      description: inherit(type.description),
      extensions: { documentedName },
      fields: () =>
        Object.fromEntries(
          Object.values(type.getFields()).map(({ name, type: fieldType, description, defaultValue, astNode }) => {
            const extensions: InputExtensions = {
              length: astNode ? directiveAt(this.#schema, 'length', astNode) : undefined,
            };
            const preset = toSnakeValue(fieldType, defaultValue);
            return [
              snakeCase(name),
              { type: this.of(fieldType), description: inherit(description), defaultValue: preset, extensions },
            ];
          }),
        ),
    });
    this.#types.set(type.name, derived);
    return derived;
  }

  /** Reports inputs that share the documented name of an output type but not its fields. */
  checkNames({ inputs }: ContractSources, report: Report): void {
    for (const node of inputs) {
      const input = this.#types.get(node.name.value);
      const output = input && this.#outputs.get(documentedNameOf(input));
      if (!input) report(`No operation takes a ${node.name.value}.`, node);
      else if (output && printFields(input) !== printFields(output)) {
        report(`${node.name.value} is documented as ${output.name} but has other fields than that type.`, node);
      }
    }
  }
}

/** The name of a derived input type in the OpenAPI document. */
export function documentedNameOf({ name, extensions }: GraphQLInputObjectType): string {
  return typeof extensions.documentedName === 'string' ? extensions.documentedName : name;
}

function printFields(type: GraphQLInputObjectType | GraphQLObjectType): string {
  const fields = Object.values(type.getFields()).map(field => `${field.name}: ${field.type}`.replace(/Input\b/, ''));
  return fields.sort().join(', ');
}
