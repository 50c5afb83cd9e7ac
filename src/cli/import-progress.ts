import type { KindName } from '../import/kinds.ts';
import type { Progress } from '../import/run.ts';
import { terminal } from './terminal.ts';

/** Lines between two milestones of a stream whose size is unknown. */
const linesPerMilestone = 100_000;

/** Shows how far an import is: continuously on a TTY, elsewhere a line for each tenth of the file. */
export function createProgressLine(kind: KindName, size: number | undefined) {
  let milestones = 0;
  return (progress: Progress, seconds: number): void => {
    const done = size ? progress.bytes / size : undefined;
    // The summary follows the last batch.
    if (done === 1) return;
    const position = done === undefined ? '' : `${Math.floor(done * 100)} %, ${remaining(done, seconds)} left, `;
    const line = `${kind}: ${position}${summary(progress, seconds)}`;
    const reached = Math.floor(done === undefined ? progress.lines / linesPerMilestone : done * 10);
    if (reached > milestones) terminal.milestone(line);
    else terminal.progress(line);
    milestones = reached;
  };
}

export function summary({ lines, changed, invalid }: Progress, seconds: number): string {
  const rate = Math.round(lines / Math.max(seconds, 0.001));
  const format = (number: number) => number.toLocaleString('en');
  return `${format(lines)} ${lines === 1 ? 'line' : 'lines'} read, ${format(changed)} new or changed, ${format(invalid)} invalid, ${format(rate)} lines/s`;
}

/** The time that the rest takes at the speed so far. */
function remaining(done: number, seconds: number): string {
  const left = Math.ceil((seconds * (1 - done)) / done);
  if (left < 60) return `${left} s`;
  const minutes = Math.ceil(left / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
