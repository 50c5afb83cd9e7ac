import pg from 'pg';
import { parseExactJson } from '../input/json.ts';

type Parse = (text: string) => unknown;

const { JSON: json } = pg.types.builtins;

/** Parses values of a type: documents so that they can be given back exactly, anything else as `pg` does. */
export function typeParser(oid: number): Parse {
  return oid === json ? parseExactJson : (pg.types.getTypeParser(oid) as Parse);
}

/** The parsers for a pool of its own. */
export const types = { getTypeParser: typeParser };

/** Has MikroORM's pool parse documents in the same way; its other parsers stay. */
export function parseJsonColumns(pool: pg.Pool): void {
  const { types: own = pg.types } = pool.options;
  pool.options.types = {
    getTypeParser: (oid, format) => (oid === json ? parseExactJson : own.getTypeParser(oid, format)),
  };
}
