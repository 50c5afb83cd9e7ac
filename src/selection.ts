import { type GraphQLResolveInfo, Kind, type SelectionSetNode } from 'graphql';

/** Where a field stands in a query, as its resolver is told. */
export type Place = Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments'>;

/** Makes a test of whether a query asks for nothing below a field but these of its fields. */
export function asksOnlyFor(names: readonly string[]): (place: Place) => boolean {
  const allowed = new Set(['__typename', ...names]);
  // A list asks the same of each of its members.
  const known = new WeakMap<SelectionSetNode, boolean>();

  const isWithin = (set: SelectionSetNode | undefined, fragments: Place['fragments']): boolean => {
    if (!set) return false;
    let within = known.get(set);
    if (within === undefined) {
      within = set.selections.every(selection => {
        if (selection.kind === Kind.FIELD) return allowed.has(selection.name.value);
        const inner = selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments[selection.name.value];
        return isWithin(inner?.selectionSet, fragments);
      });
      known.set(set, within);
    }
    return within;
  };
  return ({ fieldNodes, fragments }) => fieldNodes.every(node => isWithin(node.selectionSet, fragments));
}
