import type { GraphQLResolveInfo, SelectionSetNode } from 'graphql';
import { selectedFields } from './selected-fields.ts';

/** Where a field stands in a query, as its resolver is told. */
export type Place = Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments'>;

/** Makes a test of whether a query asks for nothing below a field but these of its fields. */
export function selectsOnly(names: readonly string[]): (place: Place) => boolean {
  const allowed = new Set(['__typename', ...names]);
  // A list asks the same of each of its members.
  const known = new WeakMap<SelectionSetNode, boolean>();

  const isWithin = (set: SelectionSetNode | undefined, fragments: Place['fragments']): boolean => {
    if (!set) return false;
    let within = known.get(set);
    if (within === undefined) {
      const fields = selectedFields(set.selections, new Map(Object.entries(fragments)));
      within = fields.every(({ node }) => allowed.has(node.name.value));
      known.set(set, within);
    }
    return within;
  };
  return ({ fieldNodes, fragments }) => fieldNodes.every(node => isWithin(node.selectionSet, fragments));
}
