import { readFileSync } from 'node:fs';
import { buildSubgraphSchema } from '@apollo/subgraph';
import { InvalidInput, type ValidationError } from '@carte/base/errors';
import { isObject } from '@carte/base/json';
import { checkCount } from '@carte/base/validation';
import { isInternal } from '@carte/operations/contract/internal';
import {
  concatAST,
  type DirectiveDefinitionNode,
  type DirectiveNode,
  type DocumentNode,
  defaultFieldResolver,
  type FieldDefinitionNode,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  type InputValueDefinitionNode,
  isObjectType,
  Kind,
  parse,
  print,
  visit,
} from 'graphql';
import type { Context } from './context.ts';
import { inheritDirectives } from './inherit-directives.ts';
import { loadById } from './nodes.ts';

const read = (file: string) =>
  inheritDirectives(parse(readFileSync(new URL(`../../schema/subgraph/${file}`, import.meta.url), 'utf8')));

/** The types with a `@key`, and how what a gateway refers to is loaded: as `node` loads it. */
const references = {
  Store: loadById.Store,
  Merchant: loadById.Merchant,
  Order: loadById.Order,
  // Its `id` is its number with the name of its kind.
  MenuItem: (id: string, context: Context) =>
    /^item_\d+$/.test(id) ? loadById.MenuItem(id.slice('item_'.length), context) : null,
};

/** Builds the graph as a subgraph of Apollo Federation, with `_service` and `_entities`. */
export function buildSubgraph(definitions: readonly DocumentNode[], resolvers: readonly object[]): GraphQLSchema {
  const ofReferences = Object.entries(references).map(([type, load]) => [
    type,
    { __resolveReference: ({ id }: { readonly id: string }, context: Context) => load(id, context) },
  ]);
  const none: DocumentNode = { kind: Kind.DOCUMENT, definitions: [] };
  const typeDefs = withKeys(concatAST(definitions));
  const schema = buildSubgraphSchema([
    { typeDefs },
    ...[...resolvers, Object.fromEntries(ofReferences)].map(each => ({ typeDefs: none, resolvers: each })),
  ]);
  annotateRoots(schema);
  checkRepresentations(schema);
  const sdl = print(withoutOwnDirectives(typeDefs));
  rootField(schema, '_service').resolve = () => ({ sdl });
  return schema;
}

/** Without what is internal, and the directives of the graph, which tell a gateway nothing: Federation has `@listSize`, `@cost` and `@requires` of its own. */
function withoutOwnDirectives(document: DocumentNode): DocumentNode {
  const own = new Set(
    document.definitions.flatMap(node => (node.kind === Kind.DIRECTIVE_DEFINITION ? node.name.value : [])),
  );
  const leave = ({ name }: DirectiveNode | DirectiveDefinitionNode) => (own.has(name.value) ? null : undefined);
  const leaveInternal = (astNode: FieldDefinitionNode | InputValueDefinitionNode) =>
    isInternal({ astNode }) ? null : undefined;
  const shown = visit(document, {
    [Kind.FIELD_DEFINITION]: leaveInternal,
    [Kind.INPUT_VALUE_DEFINITION]: leaveInternal,
  });
  return visit(shown, { [Kind.DIRECTIVE]: { leave }, [Kind.DIRECTIVE_DEFINITION]: { leave } });
}

function rootField(schema: GraphQLSchema, name: string) {
  const field = schema.getQueryType()?.getFields()[name];
  if (!field) throw new Error(`A subgraph has no Query.${name}`);
  return field;
}

/** Adds `keys.graphql`, with its directives on the definitions themselves: on an extension, `@shareable` is for the fields of that alone. */
function withKeys({ definitions }: DocumentNode): DocumentNode {
  const extensions = read('keys.graphql').definitions;
  const directivesOf = (name: string) =>
    extensions.flatMap(
      node => (node.kind === Kind.OBJECT_TYPE_EXTENSION && node.name.value === name && node.directives) || [],
    );
  return {
    kind: Kind.DOCUMENT,
    definitions: [
      ...extensions.filter(({ kind }) => kind === Kind.SCHEMA_EXTENSION),
      ...definitions.map(node =>
        node.kind === Kind.OBJECT_TYPE_DEFINITION
          ? { ...node, directives: [...(node.directives ?? []), ...directivesOf(node.name.value)] }
          : node,
      ),
    ],
  };
}

/** Gives the fields of the package the definitions of `roots.graphql`, which say what they cost and who may read them. */
function annotateRoots(schema: GraphQLSchema): void {
  for (const definition of read('roots.graphql').definitions) {
    const type = definition.kind === Kind.OBJECT_TYPE_DEFINITION && schema.getType(definition.name.value);
    if (!type || !isObjectType(type)) throw new Error('A subgraph has no such type');
    for (const node of definition.fields ?? []) {
      const field = type.getFields()[node.name.value];
      if (!field) throw new Error(`A subgraph has no ${type.name}.${node.name.value}`);
      field.astNode = node;
      for (const argument of field.args) {
        argument.astNode = node.arguments?.find(({ name }) => name.value === argument.name);
      }
    }
  }
}

const representationCount = { min: 0, max: 1000 };

/** Has `_entities` refuse what it would take for an internal error, and too much at once; and resolve as other fields do. */
function checkRepresentations(schema: GraphQLSchema): void {
  const field = rootField(schema, '_entities');
  const { resolve = defaultFieldResolver } = field;
  field.resolve = (root, args: { representations: unknown[] }, context: Context, info: GraphQLResolveInfo) => {
    const { representations } = args;
    const errors: ValidationError[] = [...checkCount(['representations'], representations.length, representationCount)];
    const types = Object.keys(references).join(', ');
    for (const [index, value] of representations.entries()) {
      if (isObject(value) && Object.hasOwn(references, String(value.__typename)) && typeof value.id === 'string')
        continue;
      const message = `a representation has a __typename, one of ${types}, and an id`;
      errors.push({ path: ['representations', index], type: 'value_error', message });
    }
    if (errors.length > 0) throw new InvalidInput(errors);
    // A compiled operation passes no schema, and takes no list of promises.
    const found: unknown = resolve(root, args, context, { ...info, schema });
    return Array.isArray(found) ? Promise.all(found) : found;
  };
}
