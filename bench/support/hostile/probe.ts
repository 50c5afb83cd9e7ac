import type { Random } from '../../../src/demo/random.ts';

/** A request that means no good, as it goes over the wire. */
export interface Probe {
  /** What is wrong with it, for the report. */
  readonly what: string;
  readonly method: string;
  /** As written after the method; nobody tidies it. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: Buffer | string | undefined;
}

/** Bytes for a socket, where the HTTP itself is broken. */
export interface RawProbe {
  readonly what: string;
  readonly bytes: Buffer;
  /** The sender stops in the middle and stays; the server must end the connection by itself. */
  readonly stalls: boolean;
}

/** What the requests are about: things that exist, and keys. */
export interface Target {
  readonly keys: { readonly write: string; readonly read: string; readonly revoked: string };
  readonly storeId: string;
  readonly otherStoreId: string;
  readonly merchantId: string;
  readonly orderId: string;
  /** A good body for the store. */
  readonly body: object;
}

export type MakeProbe = (random: Random, target: Target) => Probe;

export const json = { 'content-type': 'application/json' };

export const menuPath = ({ storeId }: Target): string => `/v1/stores/${storeId}/menu_configuration/`;

export const postGraphql = (
  target: Target,
  what: string,
  body: Probe['body'],
  headers: Probe['headers'] = json,
): Probe => ({
  what,
  method: 'POST',
  path: '/graphql',
  headers: { 'x-api-key': target.keys.read, ...headers },
  body,
});
