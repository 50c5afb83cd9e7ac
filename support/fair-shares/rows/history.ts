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
        aliased(48, at => {
          // Few different revisions, since a request may name only some; more in the next.
          const to = revisionAt(target, 1 + (((at % 10) + turn) % (target.revisions.length - 1)));
          return `menuChanges(from: ${revisionAt(target, 0)}, to: ${to}) { totalCount }`;
        }),
      ),
  ),
  graphqlRow(
    { name: '12 at once: menuConfigurationAt × 20', key: 'read', atOnce: 12 },
    target => turn =>
      ofLargeStore(
        target,
        aliased(20, at => `menuConfigurationAt(revision: ${revisionAt(target, turn + at)}) { menus { externalId } }`),
      ),
  ),
  graphqlRow(
    { name: '12 at once: a history page with configurations', key: 'read', atOnce: 12 },
    target => turn =>
      ofLargeStore(
        target,
        `a${turn}: menuHistory(first: 20) { nodes { revision configuration { modifierItems { externalId } } } }`,
      ),
  ),
  graphqlRow(
    { name: '12 at once: one comparison with 1,000 entities', key: 'read', atOnce: 12, goal: 'allowed' },
    target => turn =>
      ofLargeStore(
        target,
        `a${turn}: menuChanges(from: ${revisionAt(target, 0)}, first: 1000) { totalCount entities { externalId summary path { externalId } fields { label beforeText afterText } } }`,
      ),
  ),
  graphqlRow({ name: 'restoreMenuConfiguration × 20', key: 'write', requests: 4 }, target => () => ({
    query: `mutation ($id: ID!) { ${aliased(
      20,
      at =>
        `restoreMenuConfiguration(input: { storeId: $id, revision: ${revisionAt(target, at % 2)} }) { store { id } }`,
    )} }`,
    variables: { id: target.largeStoreId },
  })),
];
