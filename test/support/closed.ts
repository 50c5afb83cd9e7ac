import { documentedEnums, types } from './interface.ts';

const enums = new Map<string, readonly string[]>(Object.entries(documentedEnums));
const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function isMapOfStrings(value: unknown): boolean {
  return isMap(value) && Object.values(value).every(text => typeof text === 'string');
}

const plain: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: value => typeof value === 'string',
  boolean: value => typeof value === 'boolean',
  integer: Number.isSafeInteger,
  double: Number.isFinite,
  datetime: value => typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value),
  map: isMap,
  'map-of-string': isMapOfStrings,
  'map-of-map-of-string': value => isMap(value) && Object.values(value).every(isMapOfStrings),
};

/** Everything in a body that the document does not say, or says otherwise. */
export function deviations(value: unknown, type: string, place = type): string[] {
  if (type.startsWith('list-of-')) {
    if (!Array.isArray(value)) return [`${place} is no list`];
    return value.flatMap((item, index) => deviations(item, type.slice('list-of-'.length), `${place}[${index}]`));
  }
  const allowed = enums.get(type);
  if (allowed) return allowed.includes(String(value)) ? [] : [`${place} is ${value}`];
  const holds = plain[type];
  if (holds) return holds(value) ? [] : [`${place} is ${JSON.stringify(value)}, no ${type}`];
  return objectDeviations(value, type, place);
}

function objectDeviations(value: unknown, type: string, place: string): string[] {
  const fields = types.get(type);
  if (!fields) return [`${type} is not documented`];
  if (!isMap(value)) return [`${place} is no object`];
  const known = new Set(fields.map(field => field.name));
  return [
    ...Object.keys(value)
      .filter(key => !known.has(key))
      .map(key => `${place}.${key} is not documented`),
    ...fields.flatMap(field => {
      const here = `${place}.${field.name}`;
      if (Object.hasOwn(value, field.name)) return deviations(value[field.name], field.type, here);
      return field.required ? [`${here} is missing`] : [];
    }),
  ];
}
