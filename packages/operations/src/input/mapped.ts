import { isObject } from '@carte/base/json';
import { type ErrorPath, fail, forbidUnknownFields, type Read, readElements } from '@carte/base/validation';
import { failNoObject } from './reader.ts';

/** Reads a value of a caller's own shape as one of the graph. */
export interface Mapped {
  readonly read: Read;
  /** The path of a caller to what is at a path in the value of the graph; as far as there is one. */
  readonly locOf: (path: ErrorPath) => ErrorPath;
}

/** A field of an object of callers. */
export interface MappedField {
  readonly name: string;
  /** From the object of the graph; empty if its own fields go there, undefined if it is not used. */
  readonly path: readonly string[] | undefined;
  readonly isRequired: boolean;
  /** In place of an absent one, as a caller would send it. */
  readonly preset: unknown;
  readonly value: Mapped;
}

/** What an object of the graph has at a path, unless a field puts something there. */
export interface MappedConstant {
  readonly path: readonly string[];
  readonly value: unknown;
}

interface MappedObject {
  readonly fields: readonly MappedField[];
  readonly constants: readonly MappedConstant[];
  readonly forbidsUnknown: boolean;
}

type Target = Record<string, unknown>;

/** Puts a value at a path of an object of the graph; without a path, the fields of the value into the object. */
export function place(target: Target, [key, ...below]: readonly string[], value: unknown): void {
  if (key === undefined) merge(target, value);
  else if (below.length === 0) target[key] = value;
  else {
    const known = Object.hasOwn(target, key) ? target[key] : undefined;
    const object = isObject(known) ? (known as Target) : {};
    target[key] = object;
    place(object, below, value);
  }
}

/** Paths do not overlap, so both have an object only where others put fields into it. */
function merge(target: Target, value: unknown): void {
  if (!isObject(value)) return;
  for (const [key, field] of Object.entries(value)) {
    const known = Object.hasOwn(target, key) ? target[key] : undefined;
    if (isObject(known) && isObject(field)) merge(known as Target, field);
    else target[key] = field;
  }
}

/** Compiles the objects of callers; `fields` are complete when the first is read, since types may be recursive. */
export function mapObject({ fields, constants, forbidsUnknown }: MappedObject): Mapped {
  let names: Set<string> | undefined;
  return {
    read(value, cursor, depth) {
      if (!isObject(value)) return failNoObject(cursor, depth);
      const result: Target = {};
      for (const { path, value: constant } of constants) place(result, path, constant);
      let last: string | undefined;
      let count = 0;
      for (const { name, path, isRequired, preset, value: mapped } of fields) {
        // What goes to several places has its errors once.
        if (name === last && cursor.errors.list.length > count) continue;
        last = name;
        count = cursor.errors.list.length;
        const given = Object.hasOwn(value, name) ? value[name] : undefined;
        const input = given === undefined || (given === null && !isRequired) ? preset : given;
        cursor.keys[depth] = name;
        if (input === undefined) {
          if (isRequired) fail(cursor, depth + 1, 'missing', 'Field required');
          continue;
        }
        const read = mapped.read(input, cursor, depth + 1);
        if (path) place(result, path, read);
      }
      names ??= new Set(fields.map(({ name }) => name));
      if (forbidsUnknown) forbidUnknownFields(value, names, cursor, depth);
      return result;
    },
    locOf: path => locIn(fields, path) ?? [],
  };
}

/** The field that is at a path, or else the first below it. */
export function locIn(
  fields: readonly Pick<MappedField, 'name' | 'path' | 'value'>[],
  path: ErrorPath,
): ErrorPath | undefined {
  const starts = (whole: ErrorPath, start: ErrorPath) => start.every((key, index) => whole[index] === key);
  let below: ErrorPath | undefined;
  for (const { name, path: target, value } of fields) {
    if (!target) continue;
    if (target.length === 0) {
      const found = value.locOf(path);
      if (found.length > 0) return [name, ...found];
    } else if (starts(path, target)) return [name, ...value.locOf(path.slice(target.length))];
    else if (starts(target, path)) below ??= [name];
  }
  return below;
}

export function mapList(item: Mapped): Mapped {
  return {
    read: (value, cursor, depth) =>
      Array.isArray(value)
        ? readElements(value, cursor, depth, item.read)
        : fail(cursor, depth, 'list_type', 'Input should be a valid list'),
    locOf: ([index, ...below]) => (index === undefined ? [] : [index, ...item.locOf(below)]),
  };
}

/** Reads an object as the value of one of its fields. */
export function mapOnly(object: Mapped, field: string): Mapped {
  return {
    read: (value, cursor, depth) => (object.read(value, cursor, depth) as Target | undefined)?.[field],
    locOf: path => [field, ...path],
  };
}

const decimalText = /^-?\d{1,20}(?:\.\d{1,20})?$/;

/** Reads a decimal number, or the text of one, as an integer in the smallest unit. */
export function mapDecimal(digits: number, isText: boolean, readUnits: Read): Read {
  const places = `${digits} decimal ${digits === 1 ? 'place' : 'places'}`;
  return (value, cursor, depth) => {
    const text = isText ? value : textOf(value);
    if (typeof text !== 'string') {
      return isText
        ? fail(cursor, depth, 'string_type', 'Input should be a valid string')
        : fail(cursor, depth, 'float_type', 'Input should be a valid number');
    }
    if (!decimalText.test(text)) return fail(cursor, depth, 'decimal_parsing', 'Input should be a valid decimal');
    const [whole = '', fraction = ''] = text.replace('-', '').split('.');
    const significant = fraction.replace(/0+$/, '');
    if (significant.length > digits) {
      return fail(cursor, depth, 'decimal_max_places', `Decimal input should have no more than ${places}`);
    }
    const units = Number(whole + significant.padEnd(digits, '0'));
    return readUnits(text.startsWith('-') && units !== 0 ? -units : units, cursor, depth);
  };
}

/** The digits of a number as they were sent; an exponent is written out as far as it can be. */
function textOf(value: unknown): string | undefined {
  const text = JSON.isRawJSON(value) ? value.rawJSON : typeof value === 'number' ? String(value) : undefined;
  return text !== undefined && /e/i.test(text) ? String(Number(text)) : text;
}

/** Reads a value twice: first as callers have it, then as the graph does. */
export const mapBoth =
  (readOwn: Read, readGraph: Read): Read =>
  (value, cursor, depth) => {
    const count = cursor.errors.list.length;
    const own = readOwn(value, cursor, depth);
    return cursor.errors.list.length > count ? undefined : readGraph(own, cursor, depth);
  };
