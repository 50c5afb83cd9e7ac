import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
} from 'graphql';

/** One field of an answer: where it stands, what it is called there, and everything that is selected below it. */
export interface SelectedField {
  readonly key: string;
  readonly node: FieldNode;
  readonly selections: readonly SelectionNode[];
}

export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

export function fragmentsOf(document: DocumentNode): Fragments {
  const fragments = document.definitions.filter(node => node.kind === Kind.FRAGMENT_DEFINITION);
  return new Map(fragments.map(fragment => [fragment.name.value, fragment]));
}

/** The operation with this name, or the only one. */
export function operationOf(document: DocumentNode, name: string | undefined): OperationDefinitionNode | undefined {
  const operations = document.definitions.filter(node => node.kind === Kind.OPERATION_DEFINITION);
  if (name === undefined) return operations.length === 1 ? operations[0] : undefined;
  return operations.find(operation => operation.name?.value === name);
}

/** The fields that selections ask for, with fragments taken apart and fields of one key merged, in order. */
export function selectedFields(selections: readonly SelectionNode[], fragments: Fragments): SelectedField[] {
  const fields = new Map<string, SelectedField>();
  const visit = (selection: SelectionNode): void => {
    if (selection.kind !== Kind.FIELD) {
      const inner = selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments.get(selection.name.value);
      inner?.selectionSet.selections.forEach(visit);
      return;
    }
    const key = (selection.alias ?? selection.name).value;
    const own = selection.selectionSet?.selections ?? [];
    const known = fields.get(key);
    fields.set(key, { key, node: selection, selections: known ? [...known.selections, ...own] : own });
  };
  selections.forEach(visit);
  return [...fields.values()];
}
