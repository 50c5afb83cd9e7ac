import { missesOf } from './goals.ts';
import type { HonestStep } from './honest.ts';
import type { Measured } from './measure.ts';

const heads = [
  'Row',
  'Requests',
  'Responses',
  'CPU s',
  'CPU s a request',
  'RSS MB idle → peak',
  'Longest turn ms',
  'Waited for a CPU s',
  'B statuses',
  'B p50 ms',
  'B p95 ms',
  'B max ms',
  'Missed',
] as const;

const decimals = (value: number, digits: number) => value.toFixed(digits);
const listOf = (counts: Readonly<Record<string, number>>) =>
  Object.entries(counts)
    .map(([name, count]) => `${count} × ${name}`)
    .join(', ');

function cellsOf(measured: Measured): readonly string[] {
  const { calm, during, events, note } = measured;
  const change = (of: (view: Measured['calm']) => number) => `${decimals(of(calm), 0)} → ${decimals(of(during), 0)}`;
  const notes = [events > 0 ? `${events} events` : '', note].filter(Boolean).join('; ');
  return [
    measured.row,
    `${measured.requests}, ${measured.atOnce} at once`,
    `${listOf(measured.outcomes)}${notes === '' ? '' : ` (${notes})`}`,
    decimals(measured.cpu, 2),
    decimals(measured.cpuPerRequest, 3),
    `${decimals(measured.idleMemory, 0)} → ${decimals(measured.peakMemory, 0)}`,
    measured.longestTurnMs === undefined ? '–' : decimals(measured.longestTurnMs, 0),
    decimals(measured.waitedSeconds, 1),
    listOf(during.statuses),
    change(({ p50 }) => p50),
    change(({ p95 }) => p95),
    change(({ max }) => max),
    missesOf(measured).join(', ') || '–',
  ];
}

const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;

/** A Markdown table with a line for each row. */
export function tableOf(all: readonly Measured[]): string {
  return [line(heads), line(heads.map(() => '---')), ...all.map(measured => line(cellsOf(measured)))].join('\n');
}

const honestHeads = ['An honest caller', 'Response', 'MB', 'ms', 'CPU s', 'Missed'] as const;

export function honestTableOf(steps: readonly HonestStep[]): string {
  const lines = steps.map(({ name, outcome, bytes, ms, cpu, holds }) =>
    line([name, outcome, decimals(bytes / 1e6, 1), decimals(ms, 0), decimals(cpu, 2), holds ? '–' : 'refused or lost']),
  );
  return [line(honestHeads), line(honestHeads.map(() => '---')), ...lines].join('\n');
}
