import type { Difference, Place, Report } from './difference.ts';

/** One request to both services. */
export interface Asked {
  /** The route as it is documented, e.g. `GET /v1/stores/{store_service_id}`. */
  readonly route: string;
  readonly path: string;
  /** The identifier in the path. */
  readonly id: string | undefined;
}

export interface Seen {
  readonly route: string;
  /** The first of them by their addresses. */
  readonly request: string;
  readonly path: string;
  readonly times: number;
}

/** A difference, however often and in however many answers it shows. */
export interface Finding {
  /** What differs, for all things of the type: `MenuItem.price`. */
  readonly name: string;
  readonly kind: Difference['kind'];
  readonly subject: { readonly type: string; readonly id: string; readonly store?: string };
  readonly old?: unknown;
  readonly new?: unknown;
  readonly seen: readonly Seen[];
}

export interface RouteCount {
  readonly route: string;
  /** Pairs of answers. */
  readonly compared: number;
  readonly different: number;
  /** Lists that go on beyond what was compared. */
  readonly cut: number;
}

/** More would say nothing that these do not. */
const mostFindings = 100_000;
const longestValue = 1000;

/** Collects differences: the same one in several answers is one finding. */
export class Findings {
  readonly #ignored: ReadonlySet<string>;
  readonly #found = new Map<string, { finding: Omit<Finding, 'seen'>; seen: Map<string, Seen> }>();
  readonly #counts: Map<string, { compared: number; different: number; cut: number }>;
  compared = 0;

  constructor(routes: readonly string[], ignored: readonly string[] = []) {
    this.#ignored = new Set(ignored);
    this.#counts = new Map(routes.map(route => [route, { compared: 0, different: 0, cut: 0 }]));
  }

  get size(): number {
    return this.#found.size;
  }

  get full(): boolean {
    return this.#found.size >= mostFindings;
  }

  record(asked: Asked, compare: (report: Report) => void): void {
    let different = false;
    compare(difference => {
      if (this.#ignored.has(nameOf(difference))) return;
      different = true;
      this.#add(asked, difference);
    });
    this.compared++;
    const count = this.#counts.get(asked.route);
    if (!count) return;
    count.compared++;
    if (different) count.different++;
  }

  noteCut({ route }: Asked): void {
    const count = this.#counts.get(route);
    if (count) count.cut++;
  }

  #add({ route, path, id }: Asked, difference: Difference): void {
    const { subject, field, place, kind } = difference;
    const store = subject.local && id !== undefined ? { store: id } : {};
    const about = { type: subject.type, id: subject.id, ...store };
    const values = [difference.old, difference.new].map(shortened);
    const key = JSON.stringify([about, kind === 'missing' ? [] : field, kind, ...values]);
    const known = this.#found.get(key);
    if (!known && this.full) return;
    const [before, after] = values;
    const finding = known?.finding ?? { name: nameOf(difference), kind, subject: about, old: before, new: after };
    const seen = known?.seen ?? new Map<string, Seen>();
    seen.set(route, merged(seen.get(route), { route, request: `GET ${path}`, path: pathOf(place), times: 1 }));
    this.#found.set(key, { finding, seen });
  }

  /** In an order that does not depend on which answer came first. */
  list(): readonly Finding[] {
    const order = [...this.#counts.keys()];
    const findings = [...this.#found.values()].map(({ finding, seen }) => ({
      ...finding,
      seen: [...seen.values()].sort((a, b) => order.indexOf(a.route) - order.indexOf(b.route)),
    }));
    const placeOf = ({ seen: [first] }: Finding) => `${first?.request} ${first?.path}`;
    return findings.sort((a, b) => a.name.localeCompare(b.name) || placeOf(a).localeCompare(placeOf(b)));
  }

  routes(): readonly RouteCount[] {
    return [...this.#counts].map(([route, count]) => ({ route, ...count }));
  }
}

function nameOf({ subject, field, kind }: Difference): string {
  const names = kind === 'missing' ? [] : field.filter(key => typeof key === 'string');
  return [subject.type, ...names].join('.');
}

function pathOf(place: Place): string {
  const steps = place.map(key => {
    if (typeof key === 'number') return `[${key}]`;
    return /^[A-Za-z_]\w*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
  });
  return `$${steps.join('')}`;
}

function merged(known: Seen | undefined, seen: Seen): Seen {
  if (!known) return seen;
  const earlier = known.request < seen.request || (known.request === seen.request && known.path <= seen.path);
  return { ...(earlier ? known : seen), times: known.times + 1 };
}

/** A whole subtree is not kept for the sake of its report. */
function shortened(value: unknown): unknown {
  const text = JSON.stringify(value);
  return text !== undefined && text.length > longestValue ? `${text.slice(0, longestValue)}…` : value;
}
