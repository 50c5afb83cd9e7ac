import type { Row, Target } from '../row.ts';
import { aliased, graphqlRow } from './build.ts';

/** A revision of the history, counted from the oldest and around again. */
const revisionAt = ({ revisions }: Target, at: number) => revisions[at % revisions.length];

const ofLargeStore = (target: Target, selection: string) => ({
  query: `query ($id: ID!) { store(id: $id) { ${selection} } }`,
  variables: { id: target.largeStoreId },
});

/** Past configurations and comparisons of the largest menu. */
export const historyRows: readonly Row[] = [
  graphqlRow(
    { name: 'menuChanges × 48', key: 'read', requests: 8, isShort: true },
    target => turn =>
      ofLargeStore(
        target,
        aliased(
          48,
          at => `menuChanges(from: ${revisionAt(target, 0)}, to: ${revisionAt(target, at + 1 + turn)}) { count }`,
        ),
      ),
  ),
  graphqlRow(
    { name: '12 at once: menuConfigurationAt × 20', key: 'read', atOnce: 12 },
    target => turn =>
      ofLargeStore(
        target,
        aliased(20, at => `menuConfigurationAt(revision: ${revisionAt(target, turn + at)}) { items { externalId } }`),
      ),
  ),
];
