import type { Random } from '../../src/demo/random.ts';

/** A hostile request as it is sent. */
export interface Probe {
  /** Description for the report. */
  readonly what: string;
  readonly method: string;
  /** Request target, sent verbatim. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: Buffer | string | undefined;
}

/** Raw bytes of malformed HTTP. */
export interface RawProbe {
  readonly what: string;
  readonly bytes: Buffer;
  /** The sender stops in the middle and keeps the connection open; the server must close it. */
  readonly stalls: boolean;
}

/** Existing entities and keys that the requests use. */
export interface Target {
  readonly keys: { readonly write: string; readonly read: string; readonly revoked: string };
  readonly storeId: string;
  readonly otherStoreId: string;
  readonly merchantId: string;
  readonly orderId: string;
  /** A valid body for the store. */
  readonly body: object;
}

export type MakeProbe = (random: Random, target: Target) => Probe;

export const json = { 'content-type': 'application/json' };

export const previewPath = '/openapi/preview';

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
