import fc from 'fast-check';

type Value = null | boolean | number | string | readonly Value[] | Document;
export interface Document {
  readonly [key: string]: Value;
}

/** A document, and one of the texts that say it: its strings are escaped where JSON allows it. */
export interface Written {
  readonly document: Document;
  readonly text: string;
}

const shortEscapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '/': '\\/',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};
const mustBeEscaped = new RegExp(`["\\\\${String.fromCharCode(0)}-${String.fromCharCode(0x1f)}]`);

function writeCharacter(character: string, style: number): string {
  const hex = Array.from(character.split(''), unit => unit.charCodeAt(0).toString(16).padStart(4, '0'));
  const escaped = hex.map(digits => `\\u${style === 2 ? digits.toUpperCase() : digits}`).join('');
  const short = shortEscapes[character];
  if (style === 1 || style === 2) return escaped;
  if (style === 3 && short) return short;
  return mustBeEscaped.test(character) ? (short ?? escaped) : character;
}

/** A string in JSON. Styles say how each of its characters is written, over and over. */
function writeString(string: string, styles: readonly number[]): string {
  return `"${[...string].map((character, at) => writeCharacter(character, styles[at % styles.length] ?? 0)).join('')}"`;
}

function writeValue(value: Value, styles: readonly number[]): string {
  if (typeof value === 'string') return writeString(value, styles);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(item => writeValue(item, styles)).join(', ')}]`;
  const members = Object.entries(value).map(
    ([key, item]) => `${writeString(key, styles)} : ${writeValue(item, styles)}`,
  );
  return `{${members.join(',')}}`;
}

/** Characters of every kind, but for those that no text of the service may contain. */
const character = fc.oneof(
  fc.constantFrom(...'"\\/\b\f\n\r\t'),
  fc.constantFrom(...'abu0_é中文汤ñ𝄞'),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }).filter(text => !text.includes('\0')),
);
const string = fc.array(character, { maxLength: 6 }).map(parts => parts.join(''));
const key = fc.oneof(string, fc.constantFrom('en', 'en_x', 'es_es', '__proto__', 'constructor', '10', '2'));
const styles = fc.array(fc.nat(3), { minLength: 1, maxLength: 5 });

const documentOf = (values: fc.Arbitrary<Value>): fc.Arbitrary<Document> =>
  fc.uniqueArray(fc.tuple(key, values), { selector: ([name]) => name, maxLength: 5 }).map(Object.fromEntries);

const written = (documents: fc.Arbitrary<Document>): fc.Arbitrary<Written> =>
  fc.tuple(documents, styles).map(([document, how]) => ({ document, text: writeValue(document, how) }));

/** A map from strings to strings, such as translations. */
export const writtenMap: fc.Arbitrary<Written> = written(documentOf(string));

/** A document of any shape. */
export const writtenDocument: fc.Arbitrary<Written> = written(
  fc
    .letrec<{ value: Value }>(tie => ({
      value: fc.oneof(
        { maxDepth: 3 },
        string,
        fc.constantFrom(null, true, 0, -1.5, 1e21),
        fc.array(tie('value'), { maxLength: 3 }),
        documentOf(tie('value')),
      ),
    }))
    .value.chain(value => documentOf(fc.constant(value))),
);

const escapedKey = /"((?:[^"\\]|\\.)*\\(?:[^"\\]|\\.)*)"\s*:/g;

/** Objects of one more key than those that come before an escaped key: the raw beginning of that key, for each length. */
export function poisonFor({ document, text }: Written): string[] {
  const before = Object.keys(document).map(name => JSON.stringify(name));
  return [...text.matchAll(escapedKey)].flatMap(([, raw = '']) =>
    Array.from({ length: Math.min(raw.length, 8) }, (_, at) => JSON.stringify(raw.slice(0, at + 1))).flatMap(
      beginning =>
        before.map((_, count) => `{${[...before.slice(0, count), beginning].map(name => `${name}:"x"`).join(',')}}`),
    ),
  );
}
