import { type Cipheriv, createCipheriv, createDecipheriv, type Decipheriv, hash, randomBytes } from 'node:crypto';
import { InvalidInput } from '@carte/base/errors';
import { prepared, type Query } from '../database/query.ts';
import type { Event } from './entities.ts';

/** The fields of `Subscription`. */
export type StreamField = 'orderEvents' | 'menuEvents' | 'storeEvents' | 'guestOrderEvents';

/** What a cursor belongs to: a stream or the pages of `events`, of one store or, without its id, of all. */
export interface StreamId {
  readonly field: StreamField | 'events';
  readonly storeId?: string;
}

/** What a position is encrypted for; by index, so that none may be removed. */
const subjects = ['orderEvents', 'menuEvents', 'storeEvents', 'events', 'message', 'guestOrderEvents'] as const;
type Subject = (typeof subjects)[number];

/** A block of AES: one byte of subject, 7 of position, 4 that are random or zero, and 4 of a hash of the store. */
const algorithm = 'aes-256-ecb';
const blockSize = 16;
const storeOffset = 12;

const idPrefix = 'msg_';

interface Secret {
  /** Without state, since each block is encrypted for itself; to create them takes longer than all the rest. */
  readonly cipher: Cipheriv;
  readonly decipher: Decipheriv;
  /** Positions before it have cursors as text, since processes of 0.2.0 may still have to read them. */
  readonly encryptedFrom: number;
}

const secretStatement = prepared(
  'select cursor_key as "cursorKey", encrypted_from as "encryptedFrom" from event_log limit 1',
);

/**
 * Writes and reads cursors, and the ids of messages to webhooks. A position tells how much others write, so it is encrypted, by a key that
 * the database has: docs/decisions/0015-event-log.md#cursors.
 */
export class EventCursors {
  readonly #query: Query;
  #loaded: Promise<Secret> | undefined;

  constructor(query: Query) {
    this.#query = query;
  }

  /** The cursor of an event in the stream of a field: the same whenever it is written. */
  async ofEvent(field: StreamId['field'], { storeId, position }: Pick<Event, 'storeId' | 'position'>): Promise<string> {
    return encode(await this.#secret(), field === 'storeEvents' ? { field } : { field, storeId }, position, false);
  }

  /** The events of a page with their cursors, and the cursor of its end, which differs each time, so that nobody sees whether others have written meanwhile. */
  async ofPage<E extends Pick<Event, 'position'>>(pages: StreamId, events: readonly E[], end: number) {
    const secret = await this.#secret();
    return {
      events: events.map(event => ({ ...event, cursor: encode(secret, pages, event.position, false) })),
      next: encode(secret, pages, end, true),
    };
  }

  /** Returns the position of a cursor; throws `InvalidInput` for one of another stream, or for any other text. */
  async read(stream: StreamId, text: string): Promise<number> {
    const { field, storeId = '' } = stream;
    const found = decrypt(await this.#secret(), text) ?? readText(text);
    if (!found || found.subject === 'message') throw invalidCursor(`"${text.slice(0, 200)}" is not a cursor`);
    if (found.subject !== field) throw invalidCursor(`is a cursor of ${found.subject}, not of ${field}`);
    if (found.store !== hashOf(storeId)) throw invalidCursor('is a cursor of another store, not of this one');
    return found.position;
  }

  /** The id of an event's message. Events have different positions, so it is the same for every attempt and for no other event. */
  async messageId(position: number): Promise<string> {
    const secret = await this.#secret();
    const isText = position < secret.encryptedFrom;
    return `${idPrefix}${isText ? position : encrypt(secret, { subject: 'message', position }, false)}`;
  }

  /** Reads the position from the id of a message; undefined if it is none. */
  async positionOfMessage(id: string): Promise<number | undefined> {
    if (!id.startsWith(idPrefix)) return undefined;
    const text = id.slice(idPrefix.length);
    if (/^[1-9]\d{0,15}$/.test(text)) return Number(text);
    const found = decrypt(await this.#secret(), text);
    return found?.subject === 'message' ? found.position : undefined;
  }

  /** Read once; again after a failure. */
  #secret(): Promise<Secret> {
    this.#loaded ??= this.#load().catch((error: unknown) => {
      this.#loaded = undefined;
      throw error;
    });
    return this.#loaded;
  }

  async #load(): Promise<Secret> {
    const [row] = await this.#query<{ cursorKey: Buffer; encryptedFrom: number }>(secretStatement, []);
    if (!row) throw new Error('The table event_log has no row');
    return {
      cipher: createCipheriv(algorithm, row.cursorKey, null).setAutoPadding(false),
      decipher: createDecipheriv(algorithm, row.cursorKey, null).setAutoPadding(false),
      encryptedFrom: row.encryptedFrom,
    };
  }
}

interface Position {
  readonly subject: Subject;
  readonly position: number;
  /** A hash of the store's id, or of an empty one. */
  readonly store: number;
}

function encode(secret: Secret, { field, storeId = '' }: StreamId, position: number, isRandom: boolean): string {
  if (position < secret.encryptedFrom) return Buffer.from(textOf(field, position, storeId)).toString('base64url');
  return encrypt(secret, { subject: field, position, store: hashOf(storeId) }, isRandom);
}

/** One block, so that every bit of the text depends on every bit of the position, without an initialization vector. */
function encrypt(
  { cipher }: Secret,
  { subject, position, store = 0 }: Partial<Position> & Pick<Position, 'subject' | 'position'>,
  isRandom: boolean,
): string {
  const block = isRandom ? randomBytes(blockSize) : Buffer.alloc(blockSize);
  block.writeBigUInt64BE(BigInt(position));
  // Positions are safe integers, so the first byte is free.
  block.writeUInt8(subjects.indexOf(subject));
  block.writeUInt32BE(store, storeOffset);
  return cipher.update(block).toString('base64url');
}

/** Undefined for most other texts: one that was changed has no known subject, or else another store. */
function decrypt({ decipher }: Secret, text: string): Position | undefined {
  const encrypted = Buffer.from(text, 'base64url');
  if (encrypted.length !== blockSize || encrypted.toString('base64url') !== text) return undefined;
  const block = decipher.update(encrypted);
  const subject = subjects[block.readUInt8()];
  block.writeUInt8(0);
  return subject && { subject, position: Number(block.readBigUInt64BE()), store: block.readUInt32BE(storeOffset) };
}

const hashOf = (storeId: string): number => hash('sha256', storeId, 'buffer').readUInt32BE();

/** Cursors of 0.2.0. */
const textOf = (field: string, position: number, storeId: string) => `${field}1 ${position} ${storeId}`;

function readText(text: string): Position | undefined {
  const [, field, position, storeId = ''] =
    /^(\w+)1 (\d{1,16}) ([^\0]*)$/s.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  const subject = subjects.find(known => known === field);
  if (!subject || Buffer.from(textOf(subject, Number(position), storeId)).toString('base64url') !== text)
    return undefined;
  return { subject, position: Number(position), store: hashOf(storeId) };
}

function invalidCursor(message: string): InvalidInput {
  return new InvalidInput([{ path: ['after'], type: 'value_error', message }]);
}
