import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  visit,
} from 'graphql';
import type { Answer } from './answer.ts';
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

/** The operation cut down to what leads to its tag; undefined where it has none. */
export function probeOf(operation: OperationDefinitionNode, { etags }: Answer): DocumentNode | undefined {
  if (etags.length === 0) return undefined;
  const kept = new Set<SelectionNode>(etags.flatMap(steps => steps.map(step => step.node)));
  const probe: OperationDefinitionNode = visit(operation, {
    Field: (node: FieldNode) => (kept.has(node) ? undefined : null),
    FragmentSpread: () => null,
  });
  return withoutDirectives({ kind: Kind.DOCUMENT, definitions: [withoutUnusedVariables(probe)] });
}

function withoutUnusedVariables(operation: OperationDefinitionNode): OperationDefinitionNode {
  const used = new Set<string>();
  visit(operation.selectionSet, { Variable: ({ name }) => void used.add(name.value) });
  const variableDefinitions = operation.variableDefinitions?.filter(({ variable }) => used.has(variable.name.value));
  return { ...operation, ...(variableDefinitions && { variableDefinitions }) };
}
