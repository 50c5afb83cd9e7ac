import { brokenBody } from './bodies.ts';
import { json, type MakeProbe, menuPath } from './probe.ts';

export const bodyProbe: MakeProbe = (random, target) => ({
  what: 'hostile body',
  method: 'POST',
  path: menuPath(target),
  headers: { 'x-api-key': target.keys.write, ...json },
  body: brokenBody(random, target.body),
});

const types = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/xml',
  'application/json; charset=utf-16',
  'application/json; charset=latin1',
  'application/json;;;',
  'application/json, text/plain',
  'application/vnd.api+json',
  'json',
  '/',
  ';',
  'x'.repeat(2000),
];

export const typeProbe: MakeProbe = (random, target) => ({
  what: 'wrong type or encoding of a body',
  method: 'POST',
  path: menuPath(target),
  headers: {
    'x-api-key': target.keys.write,
    ...(random.chance(0.7) ? { 'content-type': random.pick(types) } : json),
    ...(random.chance(0.4) && { 'content-encoding': random.pick(['gzip', 'br', 'deflate', 'identity', 'x']) }),
  },
  body: random.chance(0.2) ? '' : JSON.stringify(target.body),
});

/** Bodies that are invalid because of their size. */
export const sizeProbe: MakeProbe = (random, target) => {
  const item = '{"external_id":"a","name":{"translations":{"en":"x"}},"price":1,"tax":1,"sell_separately":true}';
  const bodies = [
    () => `{"items":[${`${item},`.repeat(30_000)}${item}]}`,
    () => `{"items":[${'1,'.repeat(2_000_000)}1]}`,
    () => `{"items":"${'x'.repeat(10 * 1024 * 1024)}"}`,
    () => '['.repeat(5_000_000),
    () => `{"items":[],"menus":${'{"a":'.repeat(500_000)}`,
    () => `{${Array.from({ length: 100_000 }, (_, at) => `"k${at}":${at}`).join(',')}}`,
    () => `{"items":[],"x":"${'\\u0000'.repeat(100_000)}"}`,
    () => ' '.repeat(9_000_000),
  ];
  const body = random.pick(bodies)();
  return {
    what: 'large body',
    method: 'POST',
    path: menuPath(target),
    headers: { 'x-api-key': target.keys.write, ...json },
    body,
  };
};
