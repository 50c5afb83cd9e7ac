import { compileArguments } from '@carte/operations/arguments';
import { readContract } from '@carte/operations/contract/contract';
import { createSet } from '@carte/operations/contract/folders';
import { HttpError } from '@carte/operations/errors';
import fc from 'fast-check';
import type { FastifyRequest } from 'fastify';
import { buildSchema } from 'graphql';
import { expect, test } from 'vitest';

const graph = buildSchema(`
  directive @nameInBodies(name: String!) on INPUT_FIELD_DEFINITION
  scalar SafeInt
  scalar StringMap
  enum Kind { A B C }
  input Part { code: String! size: Int }
  input Texts { translations: StringMap! }
  input Thing {
    id: ID! count: Int! amount: SafeInt flag: Boolean! kind: Kind tags: [String!] parts: [Part!] texts: Texts part: Part fixed: String
    rank: Int! = 5
  }
  type Query { ok: Boolean }
  type Mutation { save(things: [Thing!]!, note: String): Boolean }`);

type Json = unknown;
type Path = (string | number)[];
interface Outcome {
  readonly value: Json;
  readonly errors: Path[];
}

/** A field of a shape: how a set writes it, what a model of it does, and bodies for it, most of them valid. */
interface Field {
  readonly name: string;
  /** The type and directives in the file of the set. */
  readonly text: string;
  /** Types that it needs beside. */
  readonly types?: string;
  readonly isRequired: boolean;
  readonly preset?: Json;
  /** Where the value goes; empty for the fields of an object beside it. */
  readonly path: readonly string[];
  readonly bodies: fc.Arbitrary<Json>;
  readonly read: (value: Json, loc: Path) => Outcome;
}

const ok = (value: Json): Outcome => ({ value, errors: [] });
const wrong = (loc: Path): Outcome => ({ value: undefined, errors: [loc] });
const isPlain = (value: Json): value is Record<string, Json> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isInt = (value: Json) => Number.isInteger(value) && Math.abs(value as number) < 2 ** 31;
const textOr = (isValid: (value: string) => boolean) => (value: Json, loc: Path) =>
  typeof value === 'string' && isValid(value) ? ok(value) : wrong(loc);
const readText = textOr(() => true);

/** What a caller may send by mistake. */
const strange = fc.constantFrom<Json>(null, true, 7, 1.5, 'x', '', [], {}, [1], { a: 1 });
const texts = fc.string({ maxLength: 5 });

const numbered = (map: readonly (readonly [string | boolean, Json])[]) => ({
  text: `@values(map: [${map.map(([of, as]) => `{ of: ${of}, as: ${JSON.stringify(as)} }`).join(' ')}])`,
  bodies: fc.constantFrom<Json>(...map.map(([, as]) => as), 'Y', 1, '1'),
  read: (value: Json, loc: Path) => {
    const found = map.find(([, as]) => as === value);
    return found ? ok(found[0]) : wrong(loc);
  },
});

/** Exactly, without floating point. */
function readDecimal(digits: number, isText: boolean) {
  return (value: Json, loc: Path): Outcome => {
    if (typeof value !== (isText ? 'string' : 'number')) return wrong(loc);
    const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(String(value));
    if (!match) return wrong(loc);
    const [, sign, whole, fraction = ''] = match;
    if (/[1-9]/.test(fraction.slice(digits))) return wrong(loc);
    const units = BigInt(`${whole}${fraction.slice(0, digits).padEnd(digits, '0')}`) * (sign ? -1n : 1n);
    const isSafe = units <= BigInt(Number.MAX_SAFE_INTEGER) && units >= -BigInt(Number.MAX_SAFE_INTEGER);
    return isSafe ? ok(Number(units)) : wrong(loc);
  };
}

function readObject(fields: readonly Field[], constants: Json): Field['read'] {
  return (value, loc) => {
    if (!isPlain(value)) return wrong(loc);
    const result: Record<string, Json> = isPlain(constants) ? { ...constants } : {};
    const errors: Path[] = [];
    for (const field of fields) {
      const { name, path, isRequired, preset } = field;
      const absent = value[name] === undefined || (value[name] === null && !isRequired);
      const given = absent ? preset : value[name];
      if (given === undefined) {
        if (isRequired) errors.push([...loc, name]);
        continue;
      }
      const read = field.read(given, [...loc, name]);
      errors.push(...read.errors);
      if (read.errors.length > 0) continue;
      if (path.length === 0) Object.assign(result, read.value);
      let object = result;
      for (const key of path.slice(0, -1)) {
        object[key] = object[key] ?? {};
        object = object[key] as Record<string, Json>;
      }
      const last = path.at(-1);
      if (last !== undefined) object[last] = read.value;
    }
    for (const name of Object.keys(value)) {
      if (!fields.some(field => field.name === name)) errors.push([...loc, name]);
    }
    return { value: result, errors };
  };
}

function bodiesOf(fields: readonly Field[]): fc.Arbitrary<Json> {
  const valid = fc.record(Object.fromEntries(fields.map(({ name, bodies }) => [name, bodies])), {
    requiredKeys: fields.filter(({ isRequired }) => isRequired).map(({ name }) => name),
  });
  const broken = fc
    .tuple(valid, fc.constantFrom(...fields.map(({ name }) => name), 'unknown'), fc.option(strange, { nil: undefined }))
    .map(([body, name, value]) => ({ ...body, [name]: value }));
  return fc.oneof(
    { weight: 12, arbitrary: valid },
    { weight: 3, arbitrary: broken },
    { weight: 1, arbitrary: strange },
  );
}

const fieldsText = (fields: readonly Field[]) => fields.map(({ name, text }) => `  ${name}: ${text}`).join('\n');
const typesText = (fields: readonly Field[]) => fields.map(({ types = '' }) => types).join('');

function objectOf(type: string, fields: readonly Field[], constants = '', value: Json = {}) {
  const types = `${typesText(fields)}\ninput ${type}${constants} {\n${fieldsText(fields)}\n}`;
  return { types, bodies: bodiesOf(fields), read: readObject(fields, value) };
}

const listOf = (item: { bodies: fc.Arbitrary<Json>; read: Field['read'] }) => ({
  bodies: fc.oneof(
    { weight: 9, arbitrary: fc.array(item.bodies, { maxLength: 3 }) },
    { weight: 1, arbitrary: strange },
  ),
  read: (value: Json, loc: Path): Outcome => {
    if (!Array.isArray(value)) return wrong(loc);
    const read = value.map((element, index) => item.read(element, [...loc, index]));
    return { value: read.map(each => each.value), errors: read.flatMap(({ errors }) => errors) };
  },
});

const choose = <T>(...options: T[]) => fc.constantFrom(...options);

/** A way to map each field of a thing. */
const shapes: fc.Arbitrary<readonly Field[]> = fc
  .record({
    id: choose('ID!', 'String!'),
    count: choose('plain', 'preset', 'float', 'text'),
    digits: fc.integer({ min: 0, max: 4 }),
    amount: choose('none', 'plain', 'text'),
    flag: choose('plain', 'text', 'number'),
    kind: choose('none', 'name', 'text', 'number'),
    tags: choose('none', 'plain', 'objects'),
    parts: fc.boolean(),
    texts: choose('none', 'map', 'paths'),
    part: choose('none', 'paths', 'beside', 'object'),
    box: fc.boolean(),
  })
  .map(({ digits, ...ways }) => {
    const fields: Field[] = [
      {
        name: 'ref',
        text: `${ways.id} @to(path: "id")`,
        isRequired: true,
        path: ['id'],
        bodies: texts,
        read: readText,
      },
    ];
    const decimal = (isText: boolean) => ({
      bodies: fc
        .oneof(
          fc.integer({ min: -99999, max: 99999 }).map(units => units / 100),
          fc.constantFrom(0, -0, 1e21, 1e-7, 0.1 + 0.2, 12.5),
        )
        .map(number => (isText ? String(number) : number)),
      read: readDecimal(digits, isText),
    });
    const readInt = (value: Json, loc: Path) => (isInt(value) ? ok(value) : wrong(loc));
    const integer = {
      bodies: fc.oneof(fc.integer({ min: -9, max: 9 }), fc.constantFrom<Json>(2 ** 31, 1.5)),
      read: readInt,
    };
    const inInt = (read: Field['read']) => (value: Json, loc: Path) => {
      const found = read(value, loc);
      return found.errors.length === 0 && !isInt(found.value) ? wrong(loc) : found;
    };
    const count = { name: 'n', path: ['count'] };
    if (ways.count === 'plain')
      fields.push({ ...count, text: 'Int! @to(path: "count")', isRequired: true, ...integer });
    else if (ways.count === 'preset') {
      fields.push({ ...count, text: 'Int! = 3 @to(path: "count")', isRequired: false, preset: 3, ...integer });
    } else {
      const isText = ways.count === 'text';
      const { bodies, read } = decimal(isText);
      const text = `${isText ? 'String' : 'Float'}! @to(path: "count") @decimal(digits: ${digits})`;
      fields.push({ ...count, text, isRequired: true, bodies, read: inInt(read) });
    }
    if (ways.amount !== 'none') {
      const isText = ways.amount === 'text';
      const text = isText ? `String @decimal(digits: ${digits})` : `Float @decimal(digits: ${digits})`;
      fields.push({ name: 'amount', text, isRequired: false, path: ['amount'], ...decimal(isText) });
    }
    const flags = { plain: undefined, text: ['Y', 'N'], number: [1, 0] }[ways.flag];
    if (flags) {
      const { text, ...rest } = numbered([
        [true, flags[0]],
        [false, flags[1]],
      ]);
      const type = ways.flag === 'text' ? 'String!' : 'Int!';
      fields.push({ name: 'flag', text: `${type} ${text}`, isRequired: true, path: ['flag'], ...rest });
    } else {
      const read = (value: Json, loc: Path) => (typeof value === 'boolean' ? ok(value) : wrong(loc));
      fields.push({ name: 'flag', text: 'Boolean!', isRequired: true, path: ['flag'], bodies: fc.boolean(), read });
    }
    if (ways.kind === 'name') {
      const read = textOr(value => ['A', 'B', 'C'].includes(value));
      const bodies = fc.constantFrom<Json>('A', 'B', 'C', 'D');
      fields.push({ name: 'sort', text: 'String @to(path: "kind")', isRequired: false, path: ['kind'], bodies, read });
    } else if (ways.kind !== 'none') {
      const isText = ways.kind === 'text';
      const { text, ...rest } = numbered(
        isText
          ? [
              ['A', 'a-1'],
              ['C', '1'],
            ]
          : [
              ['A', 1],
              ['B', 2],
              ['C', 3],
            ],
      );
      const type = `${isText ? 'String' : 'Int'} @to(path: "kind") ${text}`;
      fields.push({ name: 'sort', text: type, isRequired: false, path: ['kind'], ...rest });
    }
    if (ways.tags === 'plain') {
      fields.push({
        name: 'tags',
        text: '[String!]',
        isRequired: false,
        path: ['tags'],
        ...listOf({ bodies: texts, read: readText }),
      });
    } else if (ways.tags === 'objects') {
      const tag = objectOf('Tag', [
        { name: 'v', text: 'String!', isRequired: true, path: ['v'], bodies: texts, read: readText },
        { name: 'w', text: 'Int', isRequired: false, path: ['w'], ...integer },
      ]);
      const item = {
        bodies: tag.bodies,
        read: (value: Json, loc: Path) => {
          const { value: read, errors } = tag.read(value, loc);
          return { value: isPlain(read) ? read.v : undefined, errors };
        },
      };
      const text = '[Tag!] @to(path: "tags") @only(field: "v")';
      fields.push({ name: 'labels', text, types: tag.types, isRequired: false, path: ['tags'], ...listOf(item) });
    }
    const partFields = (prefix: readonly string[]): Field[] => {
      const to = (name: string) => `@to(path: "${[...prefix, name].join('.')}")`;
      return [
        {
          name: 'c',
          text: `String! ${to('code')}`,
          isRequired: true,
          path: [...prefix, 'code'],
          bodies: texts,
          read: readText,
        },
        { name: 's', text: `Int ${to('size')}`, isRequired: false, path: [...prefix, 'size'], ...integer },
      ];
    };
    if (ways.parts) {
      const { types, ...part } = objectOf('Piece', partFields([]));
      fields.push({
        name: 'pieces',
        text: '[Piece!] @to(path: "parts")',
        types,
        isRequired: false,
        path: ['parts'],
        ...listOf(part),
      });
    }
    const others: Field[] = [];
    if (ways.part === 'paths') fields.push(...partFields(['part']));
    else if (ways.part === 'object') {
      const part = objectOf('OnePiece', partFields([]));
      fields.push({ name: 'piece', text: 'OnePiece @to(path: "part")', isRequired: false, path: ['part'], ...part });
    } else if (ways.part === 'beside') {
      const part = objectOf('Beside', partFields(['part']));
      fields.push({ name: 'beside', text: 'Beside @to(path: ".")', isRequired: false, path: [], ...part });
    }
    if (ways.texts === 'paths') {
      const to = (language: string) => ({
        path: ['texts', 'translations', language],
        text: `String @to(path: "texts.translations.${language}")`,
      });
      for (const language of ['en', 'pt'])
        others.push({ name: `t_${language}`, isRequired: false, ...to(language), bodies: texts, read: readText });
    } else if (ways.texts === 'map') {
      const bodies = fc.oneof(
        fc.dictionary(fc.constantFrom('en', 'pt', '__proto__'), fc.oneof(texts, fc.constant(5 as Json)), {
          noNullPrototype: true,
        }),
        strange,
      );
      const read = (value: Json, loc: Path): Outcome => {
        if (!isPlain(value)) return wrong(loc);
        return {
          value,
          errors: Object.keys(value)
            .filter(key => typeof value[key] !== 'string')
            .map(key => [...loc, key]),
        };
      };
      others.push({
        name: 'words',
        text: 'StringMap @to(path: "texts.translations")',
        isRequired: false,
        path: ['texts', 'translations'],
        bodies,
        read,
      });
    }
    if (!ways.box || others.length === 0) return [...fields, ...others];
    const box = objectOf('Box', others);
    return [...fields, { name: 'box', text: 'Box! @to(path: ".")', isRequired: true, path: [], ...box }];
  });

/** 5,000 with `CARTE_FUZZ=100`. */
const rounds = Number(process.env.CARTE_FUZZ ?? 8);

test('bodies of own shapes are read as a model of the mapping reads them: accepted, converted, and with errors at the path of the caller', async () => {
  let accepted = 0;
  const check = async (fields: readonly Field[], bodies: readonly Json[]) => {
    const thing = objectOf('OwnThing', fields, ' @constant(path: "fixed", value: "always")', {
      fixed: 'always',
      rank: 5,
    });
    const file = `${thing.types}
input Body { list: [OwnThing!]! @to(path: "things") about: String @to(path: "note") }
mutation save($things: [Thing!]!, $note: String) @route(path: "/shop/things", body: "Body") { save(things: $things, note: $note) }`;
    const contract = readContract(graph, createSet('shop', [{ path: 'a.graphql', text: file }]));
    const [operation] = contract.operations;
    if (!operation) throw new Error('There is no operation');
    const read = compileArguments(operation, contract);
    const model = readObject(
      [
        { name: 'list', text: '', isRequired: true, path: ['things'], ...listOf(thing) },
        { name: 'about', text: '', isRequired: false, path: ['note'], bodies: texts, read: readText },
      ],
      {},
    );
    for (const list of bodies) {
      const body = JSON.parse(JSON.stringify({ list }));
      const expected = model(body, ['body']);
      const request = { url: '/', params: {}, headers: {}, body: Buffer.from(JSON.stringify(body)) };
      const found = await read(request as unknown as FastifyRequest).then(
        value => ({ value, errors: [] as unknown[] }),
        (error: unknown) => {
          if (!(error instanceof HttpError) || typeof error.detail === 'string') throw error;
          return { value: undefined, errors: error.detail.map(({ loc }) => loc) };
        },
      );
      const sorted = (errors: readonly unknown[]) => errors.map(each => JSON.stringify(each)).sort();
      expect(sorted(found.errors), `${file}\n${JSON.stringify(body)}`).toEqual(sorted(expected.errors));
      if (expected.errors.length > 0) continue;
      accepted++;
      expect(JSON.stringify(sortKeys(found.value))).toBe(JSON.stringify(sortKeys(expected.value)));
    }
  };
  await fc.assert(
    fc.asyncProperty(
      shapes.chain(fields =>
        fc.tuple(
          fc.constant(fields),
          fc.array(fc.array(bodiesOf(fields), { maxLength: 3 }), { minLength: 50, maxLength: 50 }),
        ),
      ),
      ([fields, bodies]) => check(fields, bodies),
    ),
    { numRuns: rounds, endOnFailure: true },
  );
  expect(accepted).toBeGreaterThan(rounds * 5);
});

const sortKeys = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isPlain(value)) return value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, field]) => [key, sortKeys(field)]);
};
