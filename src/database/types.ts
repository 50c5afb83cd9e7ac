import pg from 'pg';
import { parseExactJson } from '../input/json.ts';

type Parse = (text: string) => unknown;

const { INT8, TIMESTAMPTZ, JSON: json } = pg.types.builtins;
const parseAnyTimestamp = pg.types.getTypeParser(TIMESTAMPTZ) as Parse;
const usualTimestamp = /^[1-9]\d{3}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,3})?[+-]\d\d$/;

/** V8 parses the usual form in less than half the time of `pg`, which gets the others. */
export function parseTimestamp(text: string): unknown {
  return usualTimestamp.test(text) ? new Date(text) : parseAnyTimestamp(text);
}

/** Whole numbers are safe integers in this schema, and documents are given back exactly. */
const parsers: Readonly<Record<number, Parse>> = {
  [INT8]: Number,
  [TIMESTAMPTZ]: parseTimestamp,
  [json]: parseExactJson,
};

/** The parsers of a pool: ours before those that it has already. */
export function typesBefore(types: pg.CustomTypesConfig = pg.types): pg.CustomTypesConfig {
  // `pg` asks for the parser of each column of each result.
  const known = new Map<number, Parse>();
  return {
    getTypeParser(oid, format) {
      if (format === 'binary') return types.getTypeParser(oid, format);
      let parse = known.get(oid);
      if (!parse) {
        parse = parsers[oid] ?? (types.getTypeParser(oid, format) as Parse);
        known.set(oid, parse);
      }
      return parse;
    },
  };
}
