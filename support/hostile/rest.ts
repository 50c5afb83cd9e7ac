import type { Random } from '../../src/demo/random.ts';
import { pathProbe } from './paths.ts';
import { bodyProbe, sizeProbe, typeProbe } from './posts.ts';
import { json, type MakeProbe, menuPath, type Target } from './probe.ts';
import { randomText, urlText } from './values.ts';

const parameters = [
  'start_time',
  'end_time',
  'customer_name',
  'phone_number',
  'status',
  'page_index',
  'page_size',
  'skip',
  'limit',
  '__proto__',
  'x',
];

const lists = ({ storeId }: Target) => [`/v1/stores/${storeId}/orders/`, '/v1/stores/', '/v1/merchants/'];

const reads = (target: Target) => [
  ...lists(target),
  `/v1/stores/${target.storeId}`,
  `/v1/stores/${target.storeId}/menu_configuration/`,
  `/v1/stores/${target.storeId}/menu_configuration/flat`,
  `/v1/orders/${target.orderId}`,
  `/v1/merchants/${target.merchantId}`,
];

const query = (random: Random, most: number) =>
  Array.from({ length: random.between(1, most) }, () => {
    const name = random.chance(0.9) ? random.pick(parameters) : urlText(random);
    return random.chance(0.95) ? `${name}=${urlText(random)}` : name;
  }).join(random.chance(0.95) ? '&' : ';');

const parameterProbe: MakeProbe = (random, target) => {
  const isLong = random.chance(0.03);
  return {
    what: 'hostile parameters',
    // The error for an oversized header has a body even for HEAD: the server has not parsed the method.
    method: isLong || random.chance(0.9) ? 'GET' : 'HEAD',
    path: `${random.pick(lists(target))}?${query(random, isLong ? 400 : 5)}`,
    headers: { 'x-api-key': target.keys.read },
  };
};

const identifierProbe: MakeProbe = (random, target) => {
  const id = urlText(random);
  const shapes = [
    `/v1/stores/${id}`,
    `/v1/stores/${id}/orders/`,
    `/v1/stores/${id}/menu_configuration/`,
    `/v1/stores/${id}/menu_configuration/flat`,
    `/v1/orders/${id}`,
    `/v1/merchants/${id}`,
    `/v1/${id}`,
    `/${id}`,
  ];
  const path = random.pick(shapes) + (random.chance(0.1) ? '/' : '');
  return { what: 'hostile identifier', method: 'GET', path, headers: { 'x-api-key': target.keys.read } };
};

const keyProbe: MakeProbe = (random, target) => {
  const { keys } = target;
  const cleanText = () => randomText(random).replace(/[^\x20-\x7e\xa0-\xff]/g, '');
  const key = random.pick<string | readonly string[] | null>([
    null,
    '',
    keys.revoked,
    `${keys.read}x`,
    keys.read.slice(0, -1),
    keys.read.toUpperCase(),
    `Bearer ${keys.read}`,
    [keys.read, keys.read],
    [keys.read, keys.revoked],
    `${keys.read}, ${keys.revoked}`,
    cleanText(),
    'x'.repeat(5000),
  ]);
  const isWrite = random.chance(0.3);
  return {
    what: 'wrong key',
    method: isWrite ? 'POST' : 'GET',
    path: isWrite ? menuPath(target) : random.pick(reads(target)),
    headers: { ...(key !== null && { 'x-api-key': key }), ...(isWrite && json) },
    body: isWrite ? JSON.stringify(target.body) : undefined,
  };
};

const methods = [
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
  'PROPFIND',
  'MKCOL',
  'LOCK',
  'SEARCH',
  'REPORT',
  'PURGE',
];

const methodProbe: MakeProbe = (random, target) => {
  const path = random.pick(reads(target).filter(read => read !== menuPath(target)));
  const withBody = random.chance(0.3);
  return {
    what: 'wrong method',
    method: random.pick(methods),
    path: random.chance(0.9) ? path : '/v1/nothing',
    headers: { 'x-api-key': target.keys.write, ...(withBody && json) },
    body: withBody ? '{}' : undefined,
  };
};

const conditionProbe: MakeProbe = (random, target) => {
  const tag = random.pick([
    '*',
    '"',
    '"0-00000000"',
    'W/"x"',
    '"1",'.repeat(500),
    '""',
    'x',
    '"99999999999999999999-00000000"',
    '"\xff"',
    ',,,',
  ]);
  const isWrite = random.chance(0.3);
  return {
    what: 'hostile condition',
    method: isWrite ? 'POST' : 'GET',
    path: isWrite ? menuPath(target) : random.pick(reads(target)),
    headers: { 'x-api-key': target.keys.write, ...(isWrite ? { ...json, 'if-match': tag } : { 'if-none-match': tag }) },
    body: isWrite ? '{"items":"no list"}' : undefined,
  };
};

/** Kinds of requests to `/v1` with their weights. */
export const restProbes: readonly (readonly [times: number, make: MakeProbe])[] = [
  [25, parameterProbe],
  [15, identifierProbe],
  [30, bodyProbe],
  [5, typeProbe],
  [0.4, sizeProbe],
  [8, keyProbe],
  [4, methodProbe],
  [4, conditionProbe],
  [6, pathProbe],
];
