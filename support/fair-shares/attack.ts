import type { Attack, Row } from './row.ts';

export interface AttackReport {
  /** Number of requests by outcome. */
  readonly outcomes: Readonly<Record<string, number>>;
  readonly requests: number;
  readonly events: number;
}

/** Sends the requests of a row, several at once; begins no more after so many seconds. */
export async function runAttack(row: Row, attack: Attack, seconds: number): Promise<AttackReport> {
  const last = performance.now() + seconds * 1_000;
  const outcomes: Record<string, number> = {};
  let [requests, events] = [0, 0];
  const runLane = async () => {
    while (requests < row.requests && performance.now() < last) {
      const { outcome, events: delivered = 0 } = await attack(requests++);
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      events += delivered;
    }
  };
  await Promise.all(Array.from({ length: row.atOnce }, runLane));
  return { outcomes, requests, events };
}
