import type { OrderStatus } from '../generated/graph.ts';
import { milliseconds } from '../rows.ts';
import type { Order } from './entities.ts';

/** An order as the statements of this folder select it: instants are milliseconds. */
export interface OrderRow {
  readonly id: string;
  readonly store: string;
  readonly createdAt: number;
  readonly status: OrderStatus;
  readonly customerName: string;
  readonly customerPhone: string;
  readonly price: number;
  readonly tax: number;
  readonly items: Order['items'];
  readonly readyBy: number;
  readonly isRead: boolean;
  readonly inPos: boolean;
  readonly customerComments: string | null;
  readonly completedAt: number | null;
}

export const orderColumns = `
  orders.id, orders.store_id as store, ${milliseconds('orders.created_at')} as "createdAt", orders.status,
  customer_name as "customerName", customer_phone as "customerPhone", price::float8 as price, tax::float8 as tax, items,
  ${milliseconds('ready_by')} as "readyBy", is_read as "isRead", in_pos as "inPos",
  customer_comments as "customerComments", ${milliseconds('completed_at')} as "completedAt"`;

export function toOrder(row: OrderRow): Order {
  return {
    id: row.id,
    store: row.store,
    createdAt: new Date(row.createdAt),
    status: row.status,
    customerName: row.customerName,
    customerPhone: row.customerPhone,
    price: row.price,
    tax: row.tax,
    items: row.items,
    readyBy: new Date(row.readyBy),
    isRead: row.isRead,
    inPos: row.inPos,
    customerComments: row.customerComments,
    completedAt: row.completedAt === null ? null : new Date(row.completedAt),
  };
}
