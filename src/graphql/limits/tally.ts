import {
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

/** A document counted as it is written: all its operations and fragments, each once. */
export interface Tally {
  readonly selections: readonly SelectionNode[];
  readonly aliased: readonly FieldNode[];
  /** What bears the most directives. */
  readonly crowded: Bearer | undefined;
}

type Bearer = DocumentNode['definitions'][number] | SelectionNode;

export function tally({ definitions }: DocumentNode): Tally {
  const selections: SelectionNode[] = [];
  const aliased: FieldNode[] = [];
  let crowded: Bearer | undefined;
  // A list of its own instead of recursion: the text may nest deeper than the stack.
  const open: SelectionSetNode[] = [];
  const look = (bearer: Bearer) => {
    if (directivesOf(bearer).length > directivesOf(crowded).length) crowded = bearer;
    if ('selectionSet' in bearer && bearer.selectionSet) open.push(bearer.selectionSet);
  };
  definitions.forEach(look);
  for (let set = open.pop(); set; set = open.pop()) {
    for (const selection of set.selections) {
      look(selection);
      selections.push(selection);
      if (selection.kind === Kind.FIELD && selection.alias) aliased.push(selection);
    }
  }
  return { selections, aliased, crowded };
}

export function directivesOf(bearer: Bearer | undefined): readonly DirectiveNode[] {
  return bearer && 'directives' in bearer ? (bearer.directives ?? []) : [];
}
