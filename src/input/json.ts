import { JsonReader } from './json-reader.ts';
import { endOfString, isJsonSpace, jsonCodes } from './json-structure.ts';

declare global {
  interface JSON {
    /** Creates a value that JSON.stringify writes as this text (ECMAScript 2026; not in TypeScript's library yet). */
    rawJSON(text: string): RawNumber;
    isRawJSON(value: unknown): value is RawNumber;
  }
}

interface RawNumber {
  readonly rawJSON: string;
}

/**
 * Parses untrusted JSON. `JSON.parse` of Node 23.6 to 26 may return the key of an earlier document for an escaped key
 * (nodejs/node#63785), so texts with such a key use our own parser. Throws a SyntaxError, as `JSON.parse` does.
 */
export function parseJson(text: string): unknown {
  return hasEscapedKey(text) ? new JsonReader(text).read() : JSON.parse(text);
}

/**
 * Parses JSON without losing digits: numbers that a double prints differently (`1.50`, `12345678901234567890`) become
 * `JSON.rawJSON`.
 */
export function parseExactJson(text: string): unknown {
  const isInexact = mayBeInexact.test(text) && hasInexactNumber.test(text);
  return isInexact || hasEscapedKey(text) ? new JsonReader(text, exactNumber).read() : JSON.parse(text);
}

/** Returns the value of a number or raw number; undefined for anything else. */
export function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  return JSON.isRawJSON(value) ? Number(value.rawJSON) : undefined;
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value);

/** Cheap pre-check that excludes most texts. */
const mayBeInexact = /\d(?:[.eE]|\d{15})|-0/;

/**
 * Matches numbers that a double may print differently: an exponent, 16 digits or more, a fraction that ends in 0 or begins with
 * six zeros, and -0. A false positive, such as a string that looks like one, costs only the slower parser.
 */
const hasInexactNumber = /(?:^|"\s*:|[[,])\s*(?:-?\d(?:[\d.]{15}|\d*\.(?:\d*0(?!\d)|0{6})|[\d.]*[eE])|-0(?![.\d]))/;

function exactNumber(text: string): number | RawNumber {
  const number = Number(text);
  // Numbers beyond the range of a double become Infinity, which readers reject.
  return String(number) === text || !Number.isFinite(number) ? number : JSON.rawJSON(text);
}

/** Looks for a key with an escape sequence in one pass over the strings with a backslash. */
export function hasEscapedKey(text: string): boolean {
  // In JSON a backslash occurs in strings only, and a string followed by a colon is a key. For invalid JSON the result does
  // not matter: either parser fails at the first backslash outside a string.
  for (let at = text.indexOf('\\'); at !== -1; at = text.indexOf('\\', at)) {
    at = endOfString(text, at);
    while (isJsonSpace(text.charCodeAt(at))) at++;
    if (text.charCodeAt(at) === jsonCodes.colon) return true;
  }
  return false;
}
