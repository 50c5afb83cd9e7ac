import { randomBytes } from 'node:crypto';

/**
 * An identifier for an order that came without one: a UUIDv7 of the time when the order was created, so that orders of
 * one time lie together in the indexes and the table can later be split by time.
 */
export function createOrderId(createdAt: Date): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(Math.max(0, createdAt.getTime()), 0, 6);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
