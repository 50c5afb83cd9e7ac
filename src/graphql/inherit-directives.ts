import {
  type DefinitionNode,
  type DocumentNode,
  type InterfaceTypeDefinitionNode,
  Kind,
  type ObjectTypeDefinitionNode,
  type ObjectTypeExtensionNode,
} from 'graphql';

type Block = InterfaceTypeDefinitionNode | ObjectTypeDefinitionNode | ObjectTypeExtensionNode;

/** Directives that fields inherit; one that has any of a list inherits none of that list. */
const inherited: readonly (readonly string[])[] = [
  ['readable'],
  ['ofConfiguration', 'ofOrders', 'ofStore', 'uncached'],
];

/** Moves directives from each `type`, `extend type` and `interface` to the fields in its braces that do not have such. */
export function inheritDirectives(document: DocumentNode): DocumentNode {
  const inherit = ({ directives = [], fields = [], ...block }: Block): Block => ({
    ...block,
    directives: directives.filter(({ name }) => !inherited.flat().includes(name.value)),
    fields: fields.map(field => {
      const own = field.directives ?? [];
      const isAbsent = (names: readonly string[]) => !own.some(({ name }) => names.includes(name.value));
      const names = inherited.filter(isAbsent).flat();
      return { ...field, directives: [...own, ...directives.filter(({ name }) => names.includes(name.value))] };
    }),
  });
  return mapDefinitions(document, definition =>
    definition.kind === Kind.OBJECT_TYPE_DEFINITION ||
    definition.kind === Kind.OBJECT_TYPE_EXTENSION ||
    definition.kind === Kind.INTERFACE_TYPE_DEFINITION
      ? inherit(definition)
      : definition,
  );
}

/** Replaces definitions; `visit` would also walk through all that they contain, which takes most of the time of reading the schema. */
const mapDefinitions = (document: DocumentNode, map: (definition: DefinitionNode) => DefinitionNode) => ({
  ...document,
  definitions: document.definitions.map(map),
});
