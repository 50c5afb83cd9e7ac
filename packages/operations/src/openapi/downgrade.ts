import { isObject } from '@carte/base/json';
import type { Json } from './schemas.ts';

/** Keywords whose values are data, not parts of the document. */
const dataKeywords = new Set(['default', 'enum', 'example']);

/** Converts an OpenAPI 3.1 document to 3.0, which has no webhooks, for generators that cannot read 3.1 yet. */
export function downgradeDocument({ webhooks, ...document }: Json): Json {
  return { ...convertObject(webhooks === undefined ? document : withoutUnused(document)), openapi: '3.0.3' };
}

/** Without the schemas of nothing but messages. */
function withoutUnused({ components, ...document }: Json): Json {
  const { schemas = {}, ...others } = components as Readonly<Record<string, Json>>;
  const used = new Set<string>();
  const add = (value: unknown): void => {
    for (const [, name = ''] of JSON.stringify(value ?? null).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (used.has(name)) continue;
      used.add(name);
      add(schemas[name]);
    }
  };
  add([document, others]);
  const kept = Object.entries(schemas).filter(([name]) => used.has(name));
  return { ...document, components: { ...others, schemas: Object.fromEntries(kept) } };
}

function convert(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(convert);
  return isObject(value) ? convertObject(value) : value;
}

function convertObject(object: Json): Json {
  const { $ref, ...siblings } = object;
  if ($ref === undefined) return Object.fromEntries(Object.entries(object).flatMap(convertEntry));
  // 3.0 ignores what is beside a reference.
  return Object.keys(siblings).length > 0 ? { ...convertObject(siblings), allOf: [{ $ref }] } : { $ref };
}

/** Converts a keyword of 3.1 to those of 3.0. */
function convertEntry([key, value]: readonly [string, unknown]): (readonly [string, unknown])[] {
  if (dataKeywords.has(key)) return [[key, value]];
  if (key === 'properties' && isObject(value)) {
    // Names, which may be those of keywords.
    return [[key, Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, convert(schema)]))]];
  }
  if (key === 'const') return [['enum', [value]]];
  // In a schema; the examples of a media type are an object.
  if (key === 'examples' && Array.isArray(value)) return value.length > 0 ? [['example', value[0]]] : [];
  if (key === 'identifier' && String(value).startsWith('LicenseRef-')) return [];
  if (key === 'identifier' && typeof value === 'string') return [['url', `https://spdx.org/licenses/${value}.html`]];
  if (key === 'type' && Array.isArray(value)) {
    const [type] = value.filter(name => name !== 'null');
    return [['type', type], ...(value.includes('null') ? [['nullable', true] as const] : [])];
  }
  return [[key, convert(value)]];
}
