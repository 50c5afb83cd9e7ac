import { type Figures, medianOf } from '../support/meter.ts';
import type { Rounds } from './candidates.ts';
import type { ServerName } from './cases.ts';

export interface CaseResult {
  readonly name: string;
  readonly rounds: Rounds;
}

const cpuOf = ({ server, database }: Figures) => server + database;

/** Formats with three significant digits. */
function shown(value: number | undefined): string {
  if (value === undefined || !Number.isFinite(value)) return '–';
  return value >= 100 ? value.toFixed(0) : value.toFixed(value >= 10 ? 1 : value >= 1 ? 2 : 3);
}

/** CPU of Carte divided by that of the others, server and database together: below 1, Carte needs less. */
export function ratioTable(results: readonly CaseResult[]): string {
  const ratio = (medians: ReadonlyMap<ServerName, Figures>, to: ServerName) => {
    const [carte, other] = [medians.get('carte'), medians.get(to)];
    return shown(carte && other && cpuOf(carte) / cpuOf(other));
  };
  const others = [...new Set(results.flatMap(({ rounds }) => [...rounds.keys()]))].filter(name => name !== 'carte');
  const rows = results.map(({ name, rounds }) => {
    const medians = mediansOf(rounds);
    return [name, ...others.map(other => ratio(medians, other))];
  });
  return align([['CPU a request, as a ratio', ...others.map(other => `Carte / ${other}`)], ...rows]);
}

export function figureTable(results: readonly CaseResult[]): string {
  const head = ['', '', 'CPU ms, server', 'database', 'requests/s', 'p50 ms', 'p99 ms', 'KB'];
  const rows = results.flatMap(({ name, rounds }) =>
    [...mediansOf(rounds)].map(([server, figures], at) => [
      at === 0 ? name : '',
      server,
      ...[figures.server, figures.database, figures.perSecond, figures.p50, figures.p99, figures.bytes / 1000].map(
        shown,
      ),
    ]),
  );
  return align([head, ...rows], 2);
}

export const mediansOf = (rounds: Rounds): ReadonlyMap<ServerName, Figures> =>
  new Map([...rounds].map(([name, figures]) => [name, medianOf(figures)]));

/** Aligns texts left and figures right. */
function align(rows: readonly (readonly string[])[], texts = 1): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map(row => row[column]?.length ?? 0)));
  const cell = (text: string, column: number) =>
    column < texts ? text.padEnd(widths[column] ?? 0) : text.padStart(widths[column] ?? 0);
  return rows.map(row => row.map(cell).join('  ').trimEnd()).join('\n');
}
