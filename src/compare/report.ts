import type { Finding, RouteCount, Seen } from './findings.ts';

const widestValue = 200;

/** Differences of the same name together: the first few of them, with both values and every route that shows them. */
export function describeFindings(findings: readonly Finding[], examples: number): string {
  const byName = Map.groupBy(findings, ({ name, kind }) => `${name} (${kind})`);
  return [...byName].map(([name, same]) => describeGroup(name, same, examples)).join('\n\n');
}

function describeGroup(name: string, same: readonly Finding[], examples: number): string {
  const left = same.length - examples;
  return [
    `${name}: ${counted(same.length, 'difference')}`,
    ...same.slice(0, examples).map(describe),
    ...(left > 0 ? [`  … and ${counted(left, 'more')}`] : []),
  ].join('\n');
}

function describe({ subject, old, new: fresh, seen: [first, ...others] }: Finding): string {
  const store = subject.store === undefined ? '' : ` of store ${subject.store}`;
  return [
    `  ${subject.type} ${subject.id}${store}`,
    `    ${first?.request}  ${first?.path}`,
    `      old  ${show(old)}`,
    `      new  ${show(fresh)}`,
    ...again(first, others).map(line => `    ${line}`),
  ].join('\n');
}

/** Where else the same difference shows. */
function again(first: Seen | undefined, others: readonly Seen[]): string[] {
  const repeated = first && first.times > 1 ? [`${counted(first.times - 1, 'more time')} in ${first.route}`] : [];
  return [...repeated, ...others.map(({ times, route }) => `${counted(times, 'time')} in ${route}`)].map(
    text => `also ${text}`,
  );
}

function show(value: unknown): string {
  if (value === undefined) return '(nothing)';
  const text = JSON.stringify(value);
  return text.length > widestValue ? `${text.slice(0, widestValue)}…` : text;
}

export function counted(count: number, noun: string): string {
  const plural = count === 1 || noun === 'more' ? '' : 's';
  return `${count.toLocaleString('en')} ${noun}${plural}`;
}

/** A row for each route, with how many pairs of answers were compared and how many of them differ. */
export function routeRows(routes: readonly RouteCount[]): string[][] {
  const rows = routes.map(({ route, compared, different }) => [route, String(compared), String(different)]);
  return [['ROUTE', 'COMPARED', 'DIFFERENT'], ...rows];
}

/** What the comparison did not get to. */
export function describeCuts(routes: readonly RouteCount[]): string[] {
  return routes
    .filter(({ cut }) => cut > 0)
    .map(({ route, cut }) => `${counted(cut, 'list')} of ${route}: only the first were compared.`);
}
