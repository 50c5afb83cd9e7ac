import {
  type DocumentNode,
  type InterfaceTypeDefinitionNode,
  Kind,
  type ObjectTypeDefinitionNode,
  type ObjectTypeExtensionNode,
  visit,
} from 'graphql';

type Block = InterfaceTypeDefinitionNode | ObjectTypeDefinitionNode | ObjectTypeExtensionNode;

/** Directives that fields inherit; one that has any of a list inherits none of that list. */
const inherited: readonly (readonly string[])[] = [
  ['readable'],
  ['ofConfiguration', 'ofOrders', 'ofStore', 'uncached'],
];

/** Moves directives from each `type`, `extend type` and `interface` to the fields in its braces that do not have such. */
export function inheritDirectives(document: DocumentNode): DocumentNode {
  const enter = ({ directives = [], fields = [], ...block }: Block): Block => ({
    ...block,
    directives: directives.filter(({ name }) => !inherited.flat().includes(name.value)),
    fields: fields.map(field => {
      const own = field.directives ?? [];
      const isAbsent = (names: readonly string[]) => !own.some(({ name }) => names.includes(name.value));
      const names = inherited.filter(isAbsent).flat();
      return { ...field, directives: [...own, ...directives.filter(({ name }) => names.includes(name.value))] };
    }),
  });
  return visit(document, {
    [Kind.OBJECT_TYPE_DEFINITION]: { enter },
    [Kind.OBJECT_TYPE_EXTENSION]: { enter },
    [Kind.INTERFACE_TYPE_DEFINITION]: { enter },
  });
}
