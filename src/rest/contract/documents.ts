import { type DocumentNode, type FragmentDefinitionNode, Kind, type OperationDefinitionNode, visit } from 'graphql';
import type { ContractText } from './text.ts';

/** An operation with the fragments that it uses. */
export function withFragments(text: ContractText, operation: OperationDefinitionNode): DocumentNode {
  const used = new Map<string, FragmentDefinitionNode>();
  const collect = (node: OperationDefinitionNode | FragmentDefinitionNode) =>
    visit(node, {
      FragmentSpread({ name: { value: name } }) {
        const fragment = text.fragments.get(name);
        if (!fragment || used.has(name)) return;
        used.set(name, fragment);
        collect(fragment);
      },
    });
  collect(operation);
  return { kind: Kind.DOCUMENT, definitions: [operation, ...used.values()] };
}

/** The document as the graph understands it. */
export function withoutDirectives(document: DocumentNode): DocumentNode {
  return visit(document, { Directive: () => null });
}
