import { readJson } from './json-reader.ts';

declare global {
  interface JSON {
    /** A number that JSON.stringify writes as this text (ECMAScript 2026; not in TypeScript's library yet). */
    rawJSON(text: string): RawNumber;
    isRawJSON(value: unknown): value is RawNumber;
  }
}

interface RawNumber {
  readonly rawJSON: string;
}

/**
 * Parses JSON from outside. `JSON.parse` of Node 23.6 to 26 may read an escaped key as a key of an earlier document
 * (nodejs/node#63785), so texts with such a key go to another parser. Throws a SyntaxError, as `JSON.parse` does.
 */
export function parseJson(text: string): unknown {
  return hasEscapedKey(text) ? parseSlowly(text, Number) : JSON.parse(text);
}

/**
 * Parses JSON whose numbers are to be written again digit for digit: one that a double would write differently (`1.50`,
 * `12345678901234567890`) becomes a `JSON.rawJSON`.
 */
export function parseExactJson(text: string): unknown {
  const isUnusual = mayBeUnusual.test(text) && hasUnusualNumber.test(text);
  return isUnusual || hasEscapedKey(text) ? parseSlowly(text, exactNumber) : JSON.parse(text);
}

/** The value of a number, parsed exactly or not; undefined for anything else. */
export function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  return JSON.isRawJSON(value) ? Number(value.rawJSON) : undefined;
}

/** Rules out most texts at a fraction of the time. */
const mayBeUnusual = /\d(?:[.eE]|\d{15})|-0/;

/**
 * Finds numbers that a double may write differently: an exponent, 16 digits or more, a fraction that ends in 0 or begins with
 * six zeros, and -0. A string may look like one; then the slower parser finds that all is well.
 */
const hasUnusualNumber = /(?:^|"\s*:|[[,])\s*(?:-?\d(?:[\d.]{15}|\d*\.(?:\d*0(?!\d)|0{6})|[\d.]*[eE])|-0(?![.\d]))/;

function exactNumber(text: string): number | RawNumber {
  const number = Number(text);
  // What is too large for a double is Infinity, which readers refuse.
  return String(number) === text || !Number.isFinite(number) ? number : JSON.rawJSON(text);
}

/** Whether a key of an object has an escape sequence. Every string with a backslash is walked through once. */
export function hasEscapedKey(text: string): boolean {
  // In JSON a backslash stands in a string, and a string that a colon follows is a key. In any other text it does not
  // matter where this ends: parsers fail at the first backslash that is not in a string.
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

/** Where the string ends that an escape sequence starts within. */
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
  try {
    return readJson(text, parseNumber);
  } catch (error) {
    // It calls itself for each level, and the stack ends before the text does.
    if (error instanceof RangeError) throw new SyntaxError('JSON is nested too deeply', { cause: error });
    throw error;
  }
}
