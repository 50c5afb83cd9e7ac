import type { Random } from '../../src/demo/random.ts';
import { randomJson, randomText } from './values.ts';

/** The text of a valid body after a mutation. */
export function brokenBody(random: Random, good: object): Buffer | string {
  const kind = random.between(0, 19);
  if (kind < 14) return mutated(random, good);
  const text = JSON.stringify(good);
  if (kind < 16) return cut(random, text);
  if (kind === 16) return Buffer.from(text, random.pick(['utf16le', 'latin1']));
  if (kind === 17) return withBadBytes(random, Buffer.from(text));
  if (kind === 18) return random.chance(0.5) ? randomJson(random) : `{"items":${randomJson(random)},${text.slice(1)}`;
  return random.pick([
    '',
    ' ',
    '\ufeff',
    '\ufeff{}',
    '{',
    '}',
    '[',
    'nul',
    '{"items":[]}x',
    '{"items":[],}',
    "{'items':[]}",
    '{"items":NaN}',
    '/**/{}',
    '"',
    '\u0000',
    '{"items"}',
  ]);
}

/** Replaces, removes, repeats or renames one to three values anywhere in the document. */
function mutated(random: Random, good: object): string {
  const marks = new Map<string, string>();
  let copy: unknown = structuredClone(good);
  for (let turn = random.between(1, 3); turn > 0; turn--) copy = mutateOnce(random, copy, marks);
  const text = JSON.stringify(copy) ?? 'null';
  // Inserts as text what JSON.stringify cannot write, such as 1e400 or a duplicate key.
  return text.replace(/"\\u0001(\d+)"/g, (_, index: string) => marks.get(index) ?? 'null');
}

function mutateOnce(random: Random, value: unknown, marks: Map<string, string>): unknown {
  const isLeaf = typeof value !== 'object' || value === null;
  const keys = isLeaf ? [] : Object.keys(value);
  if (isLeaf || keys.length === 0 || random.chance(0.12)) return mark(marks, randomJson(random));
  const key = random.pick(keys);
  if (Array.isArray(value)) return mutateList(random, value, Number(key), marks);
  const member: unknown = Reflect.get(value, key);
  if (random.chance(0.08)) return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
  if (random.chance(0.05))
    return withKey(value, random.pick([randomText(random), '__proto__', 'constructor', key.toUpperCase()]), member);
  return withKey(value, key, mutateOnce(random, member, marks));
}

function mutateList(random: Random, list: readonly unknown[], index: number, marks: Map<string, string>): unknown[] {
  if (random.chance(0.1)) return list.filter((_, at) => at !== index);
  if (random.chance(0.1)) return [...list, list[index]];
  if (random.chance(0.02)) return Array.from({ length: 20_001 }, () => list[index]);
  return list.map((member, at) => (at === index ? mutateOnce(random, member, marks) : member));
}

/** Defines all as own properties, `__proto__` included. */
function withKey(object: object, key: string, value: unknown): object {
  return Object.defineProperty({ ...object }, key, { value, enumerable: true, configurable: true, writable: true });
}

function mark(marks: Map<string, string>, text: string): string {
  const index = String(marks.size);
  marks.set(index, text);
  return `\u0001${index}`;
}

function cut(random: Random, text: string): string {
  const at = random.between(0, text.length - 1);
  return random.chance(0.5) ? text.slice(0, at) : text.slice(0, at) + randomText(random) + text.slice(at);
}

function withBadBytes(random: Random, bytes: Buffer): Buffer {
  const at = random.between(0, bytes.length - 1);
  const bad = random.pick([[0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80], [0xe2, 0x82]]);
  return Buffer.concat([bytes.subarray(0, at), Buffer.from(bad), bytes.subarray(at)]);
}
