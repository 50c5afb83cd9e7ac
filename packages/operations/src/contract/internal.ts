import type { DirectiveNode } from 'graphql';

/** Whether a field or an argument of the graph is marked `@internal`: only operations of sets select it. */
export const isInternal = ({
  astNode,
}: {
  readonly astNode?: { readonly directives?: readonly DirectiveNode[] | undefined } | null | undefined;
}): boolean => astNode?.directives?.some(({ name }) => name.value === 'internal') === true;
