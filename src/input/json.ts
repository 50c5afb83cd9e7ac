import { TimeSlice } from '../scheduling/time-slice.ts';
import { JsonReader } from './json-reader.ts';

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
  return hasEscapedKey(text) ? parseSlowly(text, Number) : JSON.parse(text);
}

/** The same for a large text: what is not left to `JSON.parse` yields to the event loop. */
export async function parseLargeJson(text: string): Promise<unknown> {
  return hasEscapedKey(text) ? readJsonInSlices(text, Number) : JSON.parse(text);
}

/** Reads a text with our own parser, which reports the position of an error. */
export async function readJsonInSlices(text: string, parseNumber: (text: string) => unknown): Promise<unknown> {
  const reader = new JsonReader(text, parseNumber);
  const slice = new TimeSlice();
  while (!reader.read(() => slice.isOver)) await slice.yield();
  return reader.value;
}

/**
 * Parses JSON without losing digits: numbers that a double prints differently (`1.50`, `12345678901234567890`) become
 * `JSON.rawJSON`.
 */
export function parseExactJson(text: string): unknown {
  const isInexact = mayBeInexact.test(text) && hasInexactNumber.test(text);
  return isInexact || hasEscapedKey(text) ? parseSlowly(text, exactNumber) : JSON.parse(text);
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

/** Tests whether any object key contains an escape sequence, in one pass over the strings with a backslash. */
export function hasEscapedKey(text: string): boolean {
  // In JSON a backslash occurs in strings only, and a string followed by a colon is a key. For invalid JSON the result does
  // not matter: either parser fails at the first backslash outside a string.
  for (let at = text.indexOf('\\'); at !== -1; at = text.indexOf('\\', at)) {
    at = endOfString(text, at);
    while (isSpace(text.charCodeAt(at))) at++;
    if (text.charCodeAt(at) === colon) return true;
  }
  return false;
}

const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;
const isSpace = (code: number) => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

/** Returns the index after the closing quote of the string that contains `start`. */
function endOfString(text: string, start: number): number {
  let at = start;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) return at + 1;
    if (code === backslash) at++;
  }
  return at;
}

function parseSlowly(text: string, parseNumber: (text: string) => unknown): unknown {
  const reader = new JsonReader(text, parseNumber);
  reader.read();
  return reader.value;
}
