import type { Query } from '../../src/database/query.ts';
import { currentPosition, readEvents as readLog } from '../../src/events/log.ts';
import { sequenceEvents } from '../../src/events/sequencer.ts';

/** The end of the log, with everything that is committed by now. */
export async function endOfLog(query: Query): Promise<number> {
  await sequenceEvents(query);
  return currentPosition(query);
}

/** Events of the log, with everything that is committed by now. */
export async function readEvents(query: Query, options: Parameters<typeof readLog>[1]) {
  await sequenceEvents(query);
  return readLog(query, options);
}
