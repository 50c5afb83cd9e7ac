import type { Answer } from './client.ts';
import { type Report, Walk } from './difference.ts';
import type { Asked } from './findings.ts';
import { isFields } from './free.ts';
import { idOf } from './lists.ts';
import { type Listing, withElements } from './pages.ts';
import type { ReadRoute } from './routes.ts';

export interface Pair {
  readonly before: Answer;
  readonly after: Answer;
}

/** Reports what two answers to the same request differ in. */
export function compareAnswers(route: ReadRoute, { path, id }: Asked, { before, after }: Pair, report: Report): void {
  const walk = new Walk({ type: route.bodyType, id: path, local: false }, report);
  if (before.status === 200 && after.status === 200) route.compare(before.body, after.body, walk);
  else if (isMissing(route, { before, after }) && route.answers !== undefined && id !== undefined) {
    const there = ({ status }: Answer) => (status === 200 ? id : undefined);
    walk.within({ type: route.answers, id, local: false }, () => walk.report('missing', there(before), there(after)));
  } else if (before.status !== 404 || after.status !== 404) walk.report('status', before.status, after.status);
}

/** Whether the thing itself is what one of the services does not have. */
function isMissing(route: ReadRoute, { before, after }: Pair): boolean {
  const statuses = new Set([before.status, after.status]);
  return route.answers === route.of && statuses.has(200) && statuses.has(404);
}

interface Listings {
  readonly before: Listing;
  readonly after: Listing;
  /** What both services have, or may have: the lists were not read to their ends. */
  readonly ids: readonly string[];
}

/** Leaves out of two lists what may stand in the other one beyond the bound: that is no difference yet. */
export function alignListings(route: ReadRoute, before: Listing, after: Listing): Listings {
  const [old, fresh] = [idsOf(before), idsOf(after)];
  const aligned = (listing: Listing, other: Listing, otherIds: ReadonlySet<string>): Listing => {
    if (other.complete) return listing;
    const elements = listing.elements.filter(element => otherIds.has(idOf(element, { field: 'id' }) ?? ''));
    return { ...listing, elements, body: withElements(route, listing.body, elements) };
  };
  const shared = [...old].filter(id => fresh.has(id) || !after.complete);
  const added = [...fresh].filter(id => !old.has(id) && !before.complete);
  const counted = [before, after].every(countsItself);
  return {
    before: aligned(counted ? withoutCount(before) : before, after, fresh),
    after: aligned(counted ? withoutCount(after) : after, before, old),
    ids: before.status === 200 && after.status === 200 ? [...shared, ...added] : [],
  };
}

/** Whether the count says no more than the list itself: then it differs with what the lists differ in. */
function countsItself({ body, elements, complete }: Listing): boolean {
  return complete && isFields(body) && body.count === elements.length;
}

function withoutCount(listing: Listing): Listing {
  return { ...listing, body: { ...(isFields(listing.body) && listing.body), count: undefined } };
}

function idsOf({ elements }: Listing): ReadonlySet<string> {
  return new Set(elements.flatMap(element => idOf(element, { field: 'id' }) ?? []));
}
