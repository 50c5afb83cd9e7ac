import type { Row } from './row.ts';
import { bodyRows } from './rows/bodies.ts';
import { documentRows } from './rows/documents.ts';
import { historyRows } from './rows/history.ts';
import { inputRows } from './rows/inputs.ts';
import { listRows } from './rows/lists.ts';
import { menuRows } from './rows/menus.ts';
import { orderRows } from './rows/orders.ts';
import { socketRows } from './rows/sockets.ts';
import { strangerRows } from './rows/strangers.ts';
import { streamRows } from './rows/streams.ts';

export const rows: readonly Row[] = [
  ...strangerRows,
  ...inputRows,
  ...documentRows,
  ...bodyRows,
  ...socketRows,
  ...historyRows,
  ...menuRows,
  ...streamRows,
  ...listRows,
  ...orderRows,
];
