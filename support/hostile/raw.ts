import type { Random } from '../../src/demo/random.ts';
import type { RawProbe, Target } from './probe.ts';

type MakeBytes = (key: string, target: Target) => string | Buffer;

const head = (line: string, key: string, ...headers: readonly string[]) =>
  [line, 'Host: a', `x-api-key: ${key}`, ...headers, '', ''].join('\r\n');

const get = (key: string, ...headers: readonly string[]) => head('GET /v1/merchants/ HTTP/1.1', key, ...headers);

const post = (key: string, { storeId }: Target, ...headers: readonly string[]) =>
  head(`POST /v1/stores/${storeId}/menu_configuration/ HTTP/1.1`, key, 'Content-Type: application/json', ...headers);

const chunked =
  (chunks: string): MakeBytes =>
  (key, target) =>
    post(key, target, 'Transfer-Encoding: chunked') + chunks;

const line =
  (text: string | Buffer): MakeBytes =>
  key =>
    Buffer.concat([Buffer.from(text), Buffer.from(`\r\nHost: a\r\nx-api-key: ${key}\r\nConnection: close\r\n\r\n`)]);

const broken: Readonly<Record<string, MakeBytes>> = {
  'no HTTP': () => 'hello\r\n\r\n',
  'only blanks': () => '\r\n\r\n\r\n\r\n',
  'NUL bytes': () => Buffer.alloc(1000),
  'a TLS hello': () => Buffer.from('16030100f1010000ed0303', 'hex'),
  'HTTP/2': () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'HTTP/0.9': () => 'GET /\r\n',
  'an unknown version': line('GET /v1/stores/ HTTP/9.9'),
  'no version': line('GET /v1/stores/'),
  'an unknown method': line('FROBNICATE /v1/stores/ HTTP/1.1'),
  'a long method': line(`${'A'.repeat(10_000)} / HTTP/1.1`),
  'blanks in the path': line('GET /v1/sto res/ HTTP/1.1'),
  'bytes in the path': line(Buffer.from('GET /v1/stores/\xff\xfe\x01 HTTP/1.1', 'latin1')),
  'a path without a slash': line('GET v1/stores/ HTTP/1.1'),
  'an empty path': line('GET  HTTP/1.1'),
  'an asterisk': line('OPTIONS * HTTP/1.1'),
  'an asterisk to GET': line('GET * HTTP/1.1'),
  CONNECT: line('CONNECT example.com:443 HTTP/1.1'),
  'an absolute address': line('GET http://127.0.0.1/v1/stores/ HTTP/1.1'),
  "somebody else's address": line('GET http://example.com:99999/v1/stores HTTP/1.1'),
  'an address with a password': line('GET http://a:b@c/v1/stores/%00 HTTP/1.1'),
  'an address that is none': line('GET http://[/v1/stores/ HTTP/1.1'),
  'another scheme': line('GET file:///etc/passwd HTTP/1.1'),
  'dots encoded': line('GET /v1/%2e%2e/%2e%2e/etc/passwd HTTP/1.1'),
  'a slash encoded': line('GET /v1%2fstores%2f HTTP/1.1'),
  'a bad escape': line('GET /v1/stores/%zz HTTP/1.1'),
  'a fragment': line('GET /v1/stores/#x HTTP/1.1'),
  'a long path': line(`GET /v1/stores/${'x'.repeat(15_000)} HTTP/1.1`),
  'a path that is too long': line(`GET /v1/stores/${'x'.repeat(100_000)} HTTP/1.1`),
  'no Host': key => `GET /v1/stores/ HTTP/1.1\r\nx-api-key: ${key}\r\n\r\n`,
  'two Hosts': key => get(key, 'Host: b'),
  'a Host that is none': key => `GET /v1/stores/ HTTP/1.1\r\nHost: \x7f\x7f\r\nx-api-key: ${key}\r\n\r\n`,
  'a header without a colon': key => get(key, 'nonsense'),
  'a header without a name': key => get(key, ': x'),
  'a header with a blank before the colon': key => get(key, 'x-a : b'),
  'a folded header': key => get(key, 'x-a: b', ' c'),
  'NUL in a header': key => get(key, 'x-a: \0'),
  'bytes in a header': key => Buffer.from(get(key, 'x-a: \xff\xfe', 'if-none-match: "\xff"'), 'latin1'),
  'a bare line feed': key => `GET /v1/stores/ HTTP/1.1\nHost: a\nx-api-key: ${key}\n\n`,
  'a thousand headers': key => get(key, ...Array.from({ length: 1000 }, (_, at) => `x-${at}: ${at}`)),
  'ten thousand headers': key => get(key, ...Array.from({ length: 10_000 }, (_, at) => `x-${at}: ${at}`)),
  'a long header': key => get(key, `x-a: ${'x'.repeat(100_000)}`),
  'a long key': () => get('x'.repeat(10_000)),
  'two lengths that differ': (key, target) => `${post(key, target, 'Content-Length: 2', 'Content-Length: 3')}{}`,
  'two lengths that agree': (key, target) => `${post(key, target, 'Content-Length: 2', 'Content-Length: 2')}{}`,
  'a length and chunks': (key, target) =>
    `${post(key, target, 'Content-Length: 2', 'Transfer-Encoding: chunked')}0\r\n\r\nGET /smuggled HTTP/1.1\r\n\r\n`,
  'a negative length': (key, target) => post(key, target, 'Content-Length: -1'),
  'a length that is no number': (key, target) => post(key, target, 'Content-Length: 1x'),
  'a length beyond all numbers': (key, target) => post(key, target, `Content-Length: ${'9'.repeat(30)}`),
  'a length beyond the limit': (key, target) => post(key, target, 'Content-Length: 99999999999'),
  'less than the length says': (key, target) => `${post(key, target, 'Content-Length: 100')}{"items"`,
  'more than the length says': (key, target) => `${post(key, target, 'Content-Length: 2')}{}garbage\r\n\r\n`,
  'an unknown transfer encoding': (key, target) => `${post(key, target, 'Transfer-Encoding: x')}{}`,
  'chunked twice': (key, target) => `${post(key, target, 'Transfer-Encoding: chunked, chunked')}0\r\n\r\n`,
  'a chunk that is none': chunked('zz\r\n{}\r\n0\r\n\r\n'),
  'a negative chunk': chunked('-1\r\n{}\r\n0\r\n\r\n'),
  'a chunk beyond all numbers': chunked('ffffffffffffffffff\r\n{}'),
  'a chunk longer than it says': chunked('1\r\n{}{}{}\r\n0\r\n\r\n'),
  'chunks without an end': chunked('2\r\n{}\r\n'),
  'a chunk with a long extension': chunked(`2;${'x'.repeat(50_000)}\r\n{}\r\n0\r\n\r\n`),
  trailers: chunked('2\r\n{}\r\n0\r\nx-api-key: x\r\ncontent-length: 5\r\n\r\n'),
  'many small chunks': chunked(`${'1\r\n \r\n'.repeat(5000)}2\r\n{}\r\n0\r\n\r\n`),
  'an expectation': (key, target) => `${post(key, target, 'Expect: 100-continue', 'Content-Length: 2')}{}`,
  'an expectation that is none': (key, target) => `${post(key, target, 'Expect: x', 'Content-Length: 2')}{}`,
  'an upgrade': key =>
    get(key, 'Connection: upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Key: eA==', 'Sec-WebSocket-Version: 13'),
  'fifty at once': key => get(key).repeat(50),
  'a good one and a broken one': key => `${get(key)}hello\r\n\r\n`,
};

const stalled: Readonly<Record<string, MakeBytes>> = {
  'a head that never ends': key => `GET /v1/stores/ HTTP/1.1\r\nHost: a\r\nx-api-key: ${key}\r\n`,
  'a body that never ends': (key, target) => `${post(key, target, 'Content-Length: 1000')}{"items":`,
  'a chunk that never ends': chunked('100\r\n{'),
};

const probesOf = (kinds: Readonly<Record<string, MakeBytes>>, target: Target, stalls: boolean): RawProbe[] =>
  Object.entries(kinds).map(([what, make]) => ({ what, stalls, bytes: Buffer.from(make(target.keys.write, target)) }));

/** Draws a malformed request; many draws cover every kind. */
export const rawProbe = (random: Random, target: Target): RawProbe => random.pick(probesOf(broken, target, false));

/** Incomplete requests. */
export const stalledProbes = (target: Target): readonly RawProbe[] => probesOf(stalled, target, true);
