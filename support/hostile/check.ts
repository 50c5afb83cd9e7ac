import { type Probe, previewPath, type RawProbe } from './probe.ts';
import type { Failure, HttpResponse, RawResponse } from './send.ts';

const slowestStall = 15_000;

/** Words that leak from stack traces, statements or drivers; no probe contains them. */
const leaks = [
  /\bat [\w.<>]+ \(/,
  /node_modules|node:internal/,
  /\.[jt]s:\d+/,
  /syntax error at or near|relation "|column "|violates .* constraint|invalid byte sequence|invalid input syntax/,
  /\bselect\b[^'"]{1,200}\bfrom\b/i,
  /kysely|mikro|DriverException|ECONNREFUSED/i,
  /Cannot (read|convert|destructure)|is not a function|is not iterable|Maximum call stack|Invalid string length/,
];

/** Returns the violation in a response; undefined if there is none. */
export function violationIn(probe: Probe, response: HttpResponse | Failure, slowestMs: number): string | undefined {
  if ('failure' in response) return isRefusable(probe) ? undefined : `no response: ${response.failure}`;
  if (response.milliseconds > slowestMs) return `took ${Math.round(response.milliseconds)} ms`;
  if (response.status >= 500) return `status ${response.status}: ${response.text.slice(0, 200)}`;
  const leak = leaks.find(pattern => pattern.test(response.text));
  if (leak) return `leaks ${leak}: ${response.text.slice(0, 300)}`;
  if (probe.method === 'HEAD' || response.status === 304 || response.status === 204) {
    return response.text === '' ? undefined : 'has an unexpected body';
  }
  if (response.status >= 300 && response.status < 400)
    return response.headers.location ? undefined : 'redirects without Location';
  return shapeViolation(probe, response);
}

const bodyLimit = 10 * 1024 * 1024;

/** A server that rejects a body need not read it to its end, so the sender may miss the response. */
const isRefusable = ({ body }: Probe) => Buffer.byteLength(body ?? '') > bodyLimit;

function shapeViolation({ path }: Probe, { status, text, headers }: HttpResponse): string | undefined {
  if (status < 300 && String(headers['content-type']).startsWith('text/html')) return undefined;
  const body = parse(text);
  if (body === undefined) return `status ${status} with a body that is not JSON: ${text.slice(0, 200)}`;
  const isGraphql = /^\/graphql(\?|$)/.test(path);
  if (isGraphql) return isGraphqlBody(status, body) ? undefined : `status ${status} with ${text.slice(0, 200)}`;
  if (status < 300) return undefined;
  // The preview refuses documents, which have no parameters to name.
  const isPreview = path === previewPath && status === 422;
  return isDetail(isPreview ? 400 : status, body) ? undefined : `status ${status} with ${text.slice(0, 200)}`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isGraphqlBody(status: number, body: unknown): boolean {
  const { errors, data } = record(body);
  if (errors === undefined) return status === 200 && data !== undefined;
  return Array.isArray(errors) && errors.length > 0 && errors.every(error => typeof record(error).message === 'string');
}

function isDetail(status: number, body: unknown): boolean {
  const { detail, ...others } = record(body);
  if (Object.keys(others).length > 0) return false;
  if (status !== 422) return typeof detail === 'string' && detail !== '';
  return Array.isArray(detail) && detail.length > 0 && detail.length <= 1000 && detail.every(isValidationError);
}

function isValidationError(error: unknown): boolean {
  const { loc, msg, type, ...others } = record(error);
  const isPlace = Array.isArray(loc) && loc.every(part => typeof part === 'string' || typeof part === 'number');
  return isPlace && typeof msg === 'string' && typeof type === 'string' && Object.keys(others).length === 0;
}

const record = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {};

/** Malformed HTTP may be rejected or disconnected, but must not stay open without a timeout. */
export function violationInRaw({ stalls }: RawProbe, response: RawResponse, slowestMs: number): string | undefined {
  const { text, ended, milliseconds } = response;
  if (!ended || milliseconds > (stalls ? slowestStall : slowestMs))
    return `stayed open for ${Math.round(milliseconds)} ms`;
  const leak = leaks.find(pattern => pattern.test(text));
  if (leak) return `leaks ${leak}: ${text.slice(0, 300)}`;
  if (text === '') return undefined;
  const statuses = rawStatuses(text);
  if (statuses.length === 0) return `does not respond with HTTP: ${text.slice(0, 100)}`;
  return statuses.some(status => status >= 500) ? `statuses ${statuses.join(', ')}` : undefined;
}

export const rawStatuses = (text: string): number[] =>
  [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
