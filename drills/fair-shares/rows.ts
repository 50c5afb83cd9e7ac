import type { Row } from './row.ts';
import { bodyRows } from './rows/bodies.ts';
import { historyRows } from './rows/history.ts';
import { inputRows } from './rows/inputs.ts';
import { listRows } from './rows/lists.ts';
import { orderRows } from './rows/orders.ts';
import { socketRows } from './rows/sockets.ts';
import { streamRows } from './rows/streams.ts';

export const rows: readonly Row[] = [
  ...inputRows,
  ...bodyRows,
  ...socketRows,
  ...historyRows,
  ...streamRows,
  ...listRows,
  ...orderRows,
];
