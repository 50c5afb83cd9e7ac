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
import { snakeCase } from '../../input/names.ts';
import { directiveAt } from './directives.ts';
import type { Report } from './errors.ts';
import type { OutputTypes } from './outputs.ts';
import type { ContractText } from './text.ts';

/** Kept in the derived schema, in the extensions of an input field. */
export interface InputExtensions {
  readonly length?: { readonly min: number; readonly max: number } | undefined;
}

/** Derives the types of what callers send: the graph's input types with snake_case fields and documented names. */
export class InputTypes {
  readonly #documented: ReadonlyMap<string, string>;
  readonly #schema: GraphQLSchema;
  readonly #outputs: OutputTypes;
  readonly #types = new Map<string, GraphQLInputObjectType>();

  constructor(text: ContractText, outputs: OutputTypes) {
    this.#schema = text.schema;
    this.#outputs = outputs;
    this.#documented = new Map(
      text.inputs.map(node => [node.name.value, directiveAt(text.schema, 'documented', node)?.as ?? node.name.value]),
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
    const derived: GraphQLInputObjectType = new GraphQLInputObjectType({
      // A schema cannot have an input and an output type of one name; the documentation can, where they are alike.
      name: this.#outputs.get(documentedName) ? `${documentedName}Input` : documentedName,
      description: type.description,
      extensions: { documentedName },
      fields: () =>
        Object.fromEntries(
          Object.values(type.getFields()).map(({ name, type: fieldType, description, defaultValue, astNode }) => {
            const extensions: InputExtensions = {
              length: astNode ? directiveAt(this.#schema, 'length', astNode) : undefined,
            };
            return [
              snakeCase(name),
              { type: this.of(fieldType), description, defaultValue, extensions: { ...extensions } },
            ];
          }),
        ),
    });
    this.#types.set(type.name, derived);
    return derived;
  }

  /** Reports inputs that share their documented name with a body's type but not its shape. */
  checkNames(text: ContractText, report: Report): void {
    for (const node of text.inputs) {
      const input = this.#types.get(node.name.value);
      const output = input && this.#outputs.get(documentedNameOf(input));
      if (!input) report(`No operation takes a ${node.name.value}.`, node);
      else if (output && shapeOf(input) !== shapeOf(output)) {
        report(`${node.name.value} is not alike to the body's type ${output.name}, whose name it is given.`, node);
      }
    }
  }
}

/** The name under which the documentation knows a derived input type. */
export function documentedNameOf({ name, extensions }: GraphQLInputObjectType): string {
  return typeof extensions.documentedName === 'string' ? extensions.documentedName : name;
}

function shapeOf(type: GraphQLInputObjectType | GraphQLObjectType): string {
  const fields = Object.values(type.getFields()).map(field => `${field.name}: ${field.type}`.replace(/Input\b/, ''));
  return fields.sort().join(', ');
}
