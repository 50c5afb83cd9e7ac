import {
  type ASTNode,
  type FieldNode,
  type FragmentSpreadNode,
  type GraphQLFieldConfig,
  type GraphQLLeafType,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLScalarType,
  GraphQLString,
  getNullableType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
  Kind,
  type SelectionNode,
} from 'graphql';
import { type Constant, directiveAt, hasDirective } from './directives.ts';
import type { Report } from './errors.ts';
import { type Answer, keyOf } from './response.ts';
import type { ContractText } from './text.ts';

/** What the body of a field has beyond its type; kept in the derived schema, in the field's extensions. */
export interface FieldExtensions {
  /** In place of null. */
  readonly default?: unknown;
  /** Always, whatever the graph says. */
  readonly constant?: string;
}

/** Kept in the derived schema, in the extensions of a type. */
export interface TypeExtensions {
  /** The graph's type of which it shows a part; several may show parts of the same. */
  readonly graphType?: string;
}

type Field = GraphQLFieldConfig<unknown, unknown, unknown>;
type Fields = Map<string, Field>;

interface Shape {
  /** Of a type that no fragment names. */
  readonly name: string;
  readonly constants?: readonly Constant[];
}

interface Draft {
  readonly name: string;
  readonly parent: GraphQLObjectType;
  readonly node: ASTNode;
  readonly description: string | undefined;
  readonly fields: Fields;
  readonly constants: readonly Constant[];
}

const rootTypes = new Set(['Query', 'Mutation']);

const capitalized = (name: string) => `${name.charAt(0).toUpperCase()}${name.slice(1)}`;

/** What is null in the graph is left out of a body. */
const inRestTerms = (description: string | null | undefined): string | undefined =>
  description?.replace(/\bnull\b/g, 'absent').replace(/\bNull\b/g, 'Absent');

/** Derives the types of bodies: an alias becomes the field's name, a fragment's name the type's. */
export class OutputTypes {
  readonly #text: ContractText;
  readonly #report: Report;
  readonly #types = new Map<string, GraphQLObjectType>();
  readonly #ofFragments = new Map<string, GraphQLObjectType>();
  readonly #scalars = new Map<string, GraphQLScalarType>();

  constructor(text: ContractText, report: Report) {
    this.#text = text;
    this.#report = report;
  }

  get(name: string): GraphQLObjectType | undefined {
    return this.#types.get(name);
  }

  /** A leaf type of the graph. SOFA serialises arguments, which have been read already, so scalars pass values as they are. */
  leaf(type: GraphQLLeafType): GraphQLLeafType {
    if (!isScalarType(type) || isSpecifiedScalarType(type)) return type;
    const scalar =
      this.#scalars.get(type.name) ?? new GraphQLScalarType({ ...type.toConfig(), serialize: value => value });
    this.#scalars.set(type.name, scalar);
    return scalar;
  }

  /** The type of an operation's body: nullable where the graph may have nothing on the way to it. */
  ofAnswer(operationName: string, { body }: Answer, constants: readonly Constant[]): GraphQLOutputType {
    const { node, field } = body.at(-1) ?? body[0];
    const type = this.#reshape(field.type, node, { name: `${capitalized(operationName)}Response`, constants });
    if (constants.length > 0 && isListType(getNullableType(field.type))) {
      this.#report('Constants need a body that is an object; this one is a list.', node);
    }
    const certain = body.every(step => isNonNullType(step.field.type));
    return certain ? type : getNullableType(type);
  }

  #reshape(type: GraphQLOutputType, node: FieldNode, shape: Shape): GraphQLOutputType {
    if (isNonNullType(type)) return new GraphQLNonNull(getNullableType(this.#reshape(type.ofType, node, shape)));
    if (isListType(type)) return new GraphQLList(this.#reshape(type.ofType, node, shape));
    if (isObjectType(type)) return this.#objectType(type, node, shape);
    return isLeafType(type) ? this.leaf(type) : type;
  }

  #objectType(parent: GraphQLObjectType, node: FieldNode, { name, constants = [] }: Shape): GraphQLObjectType {
    const selections = (node.selectionSet?.selections ?? []).filter(
      selection => selection.kind !== Kind.FIELD || !hasDirective(selection, 'etag'),
    );
    const [only, ...others] = selections;
    if (only?.kind === Kind.FRAGMENT_SPREAD && others.length === 0 && constants.length === 0) {
      return this.#fragmentType(parent, only);
    }
    return this.#create({
      name,
      parent,
      node,
      description: undefined,
      fields: this.#fieldsOf(parent, selections, name),
      constants,
    });
  }

  #fragmentType(parent: GraphQLObjectType, node: FragmentSpreadNode): GraphQLObjectType {
    const name = node.name.value;
    const known = this.#ofFragments.get(name);
    if (known) return known;
    const fragment = this.#text.fragments.get(name);
    if (!fragment) throw new Error(`There is no fragment ${name}`);
    const fields = this.#fieldsOf(parent, fragment.selectionSet.selections, name);
    const type = this.#create({
      name,
      parent,
      node: fragment,
      description: inRestTerms(parent.description),
      fields,
      constants: [],
    });
    this.#ofFragments.set(name, type);
    return type;
  }

  #create({ name, parent, node, description, fields, constants }: Draft): GraphQLObjectType {
    const taken = this.#types.has(name) || isLeafType(this.#text.schema.getType(name)) || rootTypes.has(name);
    if (taken) this.#report(`A second type would be named ${name}.`, node);
    const entries = [...fields];
    for (const constant of constants) this.#place(constant, entries, node);
    const extensions: TypeExtensions = { graphType: parent.name };
    const type = new GraphQLObjectType({
      name,
      description,
      fields: Object.fromEntries(entries),
      extensions: { ...extensions },
    });
    this.#types.set(name, type);
    return type;
  }

  #fieldsOf(parent: GraphQLObjectType, selections: readonly SelectionNode[], name: string): Fields {
    const fields: Fields = new Map();
    for (const selection of selections) {
      for (const [key, field] of this.#fieldsFrom(parent, selection, name)) {
        if (fields.has(key)) this.#report(`${name} has a second field "${key}".`, selection);
        fields.set(key, field);
      }
    }
    return fields;
  }

  #fieldsFrom(parent: GraphQLObjectType, selection: SelectionNode, name: string): Fields {
    if (selection.kind === Kind.FRAGMENT_SPREAD) {
      const fragment = this.#text.fragments.get(selection.name.value);
      return this.#fieldsOf(parent, fragment?.selectionSet.selections ?? [], name);
    }
    const field = selection.kind === Kind.FIELD ? parent.getFields()[selection.name.value] : undefined;
    if (selection.kind !== Kind.FIELD || !field) return new Map();
    const key = keyOf(selection);
    const type = this.#reshape(field.type, selection, { name: `${name}${capitalized(key)}` });
    const own = directiveAt(this.#text.schema, 'description', selection)?.text;
    const description = own ?? inRestTerms(field.description);
    return new Map([[key, { description, ...this.#nullability(type, selection) }]]);
  }

  #nullability(type: GraphQLOutputType, node: FieldNode): Pick<Field, 'type' | 'extensions'> {
    const replaced = directiveAt(this.#text.schema, 'default', node);
    if (!replaced) return { type: hasDirective(node, 'optional') ? getNullableType(type) : type };
    if (isNonNullType(type)) this.#report('A @default stands for null, and this field is never null.', node);
    const extensions: FieldExtensions = { default: replaced.value };
    return { type: new GraphQLNonNull(getNullableType(type)), extensions: { ...extensions } };
  }

  #place({ name, value, before, optional }: Constant, entries: [string, Field][], node: ASTNode): void {
    const index = before ? entries.findIndex(([key]) => key === before) : entries.length;
    if (index < 0)
      this.#report(`The constant "${name}" is to stand before "${before}", which is not in the body.`, node);
    if (entries.some(([key]) => key === name)) this.#report(`The constant "${name}" is a field of the body too.`, node);
    const type = optional ? GraphQLString : new GraphQLNonNull(GraphQLString);
    const extensions: FieldExtensions = { constant: value };
    entries.splice(index, 0, [name, { type, description: `Always \`${value}\`.`, extensions: { ...extensions } }]);
  }
}
