import type { LocatedDifference, Path } from './values.ts';

/** A request that is sent to both services. */
export interface ComparedRequest {
  /** Name of the route, e.g. `GET /v1/stores/{store_service_id}`. */
  readonly route: string;
  readonly path: string;
  /** The id in the path. */
  readonly id: string | undefined;
}

/** Where a difference occurs on a route. */
interface Occurrence {
  readonly route: string;
  /** The first request, in the order of the paths. */
  readonly request: string;
  readonly path: string;
  readonly times: number;
}

/** A difference, with every route that shows it. */
export interface Finding {
  /** Type and field, e.g. `MenuItem.price`. */
  readonly name: string;
  readonly kind: LocatedDifference['kind'];
  readonly subject: { readonly type: string; readonly id: string; readonly store?: string };
  readonly old?: unknown;
  readonly new?: unknown;
  readonly seen: readonly Occurrence[];
}

export interface RouteCount {
  readonly route: string;
  /** Number of response pairs. */
  compared: number;
  different: number;
  /** Number of lists that were not compared to their ends. */
  cut: number;
}

const maxFindings = 100_000;
const maxValueLength = 1000;
const maxShownLength = 200;

/** Collects differences; the same one in several responses is one finding. */
export class Findings {
  readonly #ignored: ReadonlySet<string>;
  readonly #found = new Map<string, { finding: Omit<Finding, 'seen'>; seen: Map<string, Occurrence> }>();
  readonly #counts: ReadonlyMap<string, RouteCount>;
  compared = 0;

  constructor(routes: readonly string[], ignored: readonly string[] = []) {
    this.#ignored = new Set(ignored);
    this.#counts = new Map(routes.map(route => [route, { route, compared: 0, different: 0, cut: 0 }]));
  }

  get size(): number {
    return this.#found.size;
  }

  get full(): boolean {
    return this.#found.size >= maxFindings;
  }

  record(request: ComparedRequest, differences: Iterable<LocatedDifference>): void {
    let different = false;
    for (const difference of differences) {
      if (this.#ignored.has(nameOf(difference))) continue;
      different = true;
      this.#add(request, difference);
    }
    this.compared++;
    const count = this.#counts.get(request.route);
    if (!count) return;
    count.compared++;
    if (different) count.different++;
  }

  recordCut({ route }: ComparedRequest): void {
    const count = this.#counts.get(route);
    if (count) count.cut++;
  }

  #add({ route, path, id }: ComparedRequest, difference: LocatedDifference): void {
    const { subject, field, kind } = difference;
    const store = subject.local && id !== undefined ? { store: id } : {};
    const entity = { type: subject.type, id: subject.id, ...store };
    const values = [difference.old, difference.new].map(truncate);
    const key = JSON.stringify([entity, kind === 'missing' ? [] : field, kind, ...values]);
    const known = this.#found.get(key);
    if (!known && this.full) return;
    const [oldValue, newValue] = values;
    const finding = known?.finding ?? { name: nameOf(difference), kind, subject: entity, old: oldValue, new: newValue };
    const seen = known?.seen ?? new Map<string, Occurrence>();
    seen.set(
      route,
      mergeOccurrences(seen.get(route), { route, request: `GET ${path}`, path: jsonPath(difference.path), times: 1 }),
    );
    this.#found.set(key, { finding, seen });
  }

  /** Sorted, so that the order does not depend on which response came first. */
  list(): readonly Finding[] {
    const order = [...this.#counts.keys()];
    const findings = [...this.#found.values()].map(({ finding, seen }) => ({
      ...finding,
      seen: [...seen.values()].sort((a, b) => order.indexOf(a.route) - order.indexOf(b.route)),
    }));
    const locationOf = ({ seen: [first] }: Finding) => `${first?.request} ${first?.path}`;
    return findings.sort((a, b) => a.name.localeCompare(b.name) || locationOf(a).localeCompare(locationOf(b)));
  }

  routes(): readonly Readonly<RouteCount>[] {
    return [...this.#counts.values()];
  }
}

function nameOf({ subject, field, kind }: LocatedDifference): string {
  const names = kind === 'missing' ? [] : field.filter(key => typeof key === 'string');
  return [subject.type, ...names].join('.');
}

function jsonPath(path: Path): string {
  const segments = path.map(key => {
    if (typeof key === 'number') return `[${key}]`;
    return /^[A-Za-z_]\w*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
  });
  return `$${segments.join('')}`;
}

function mergeOccurrences(known: Occurrence | undefined, seen: Occurrence): Occurrence {
  if (!known) return seen;
  const earlier = known.request < seen.request || (known.request === seen.request && known.path <= seen.path);
  return { ...(earlier ? known : seen), times: known.times + 1 };
}

/** Bounds the memory that a finding takes: a value may be a whole subtree. */
function truncate(value: unknown): unknown {
  const text = JSON.stringify(value);
  return text !== undefined && text.length > maxValueLength ? `${text.slice(0, maxValueLength)}…` : value;
}

/** Prints findings grouped by name, at most `examples` of each group, with both values and every route that shows them. */
export function formatFindings(findings: readonly Finding[], examples: number): string {
  const byName = Map.groupBy(findings, ({ name, kind }) => `${name} (${kind})`);
  return [...byName].map(([name, same]) => formatGroup(name, same, examples)).join('\n\n');
}

function formatGroup(name: string, same: readonly Finding[], examples: number): string {
  const omitted = same.length - examples;
  return [
    `${name}: ${counted(same.length, 'difference')}`,
    ...same.slice(0, examples).map(formatFinding),
    ...(omitted > 0 ? [`  … and ${counted(omitted, 'more')}`] : []),
  ].join('\n');
}

function formatFinding({ subject, old: oldValue, new: newValue, seen: [first, ...others] }: Finding): string {
  const store = subject.store === undefined ? '' : ` of store ${subject.store}`;
  return [
    `  ${subject.type} ${subject.id}${store}`,
    `    ${first?.request}  ${first?.path}`,
    `      old  ${formatValue(oldValue)}`,
    `      new  ${formatValue(newValue)}`,
    ...formatOtherOccurrences(first, others).map(line => `    ${line}`),
  ].join('\n');
}

function formatOtherOccurrences(first: Occurrence | undefined, others: readonly Occurrence[]): string[] {
  const repeated = first && first.times > 1 ? [`${counted(first.times - 1, 'more time')} in ${first.route}`] : [];
  return [...repeated, ...others.map(({ times, route }) => `${counted(times, 'time')} in ${route}`)].map(
    text => `also ${text}`,
  );
}

function formatValue(value: unknown): string {
  if (value === undefined) return '(nothing)';
  const text = JSON.stringify(value);
  return text.length > maxShownLength ? `${text.slice(0, maxShownLength)}…` : text;
}

export function counted(count: number, noun: string): string {
  const plural = count === 1 || noun === 'more' ? '' : 's';
  return `${count.toLocaleString('en')} ${noun}${plural}`;
}

/** Rows of a table: a route, its response pairs, and how many of them differ. */
export function routeRows(routes: readonly RouteCount[]): string[][] {
  const rows = routes.map(({ route, compared, different }) => [route, String(compared), String(different)]);
  return [['ROUTE', 'COMPARED', 'DIFFERENT'], ...rows];
}

/** Names the routes whose lists were not compared to their ends. */
export function formatCuts(routes: readonly RouteCount[]): string[] {
  return routes
    .filter(({ cut }) => cut > 0)
    .map(({ route, cut }) => `${counted(cut, 'list')} of ${route}: only the first elements were compared.`);
}
