import { relative } from 'node:path';
import { parseArgs } from 'node:util';

/** An option that may be given several times has a list. */
type Default = string | number | boolean | readonly string[];
type Widened<V> = V extends number
  ? number
  : V extends boolean
    ? boolean
    : V extends string
      ? string
      : readonly string[];
type Options<T> = { readonly [Name in keyof T]: Widened<T[Name]> };

/** Reads the options of a program, whose defaults tell their types. Prints `about` and the options for `--help`. */
export function readOptions<T extends Readonly<Record<string, Default>>>(about: string, defaults: T): Options<T> {
  const usage = `npx node ${relative('', process.argv[1] ?? '')} ${Object.entries(defaults).map(describe).join(' ')}`;
  try {
    const types = Object.entries(defaults).map(([name, value]) => {
      const type = typeof value === 'boolean' ? ('boolean' as const) : ('string' as const);
      return [name, { type, multiple: typeof value === 'object' }] as const;
    });
    const { values } = parseArgs({ options: { ...Object.fromEntries(types), help: { type: 'boolean' } } });
    if (values.help) {
      console.log(`${about}\n\n  ${usage}`);
      process.exit();
    }
    const read = Object.entries(defaults).map(([name, value]) => {
      const given = Object.entries(values).find(([key]) => key === name)?.[1];
      return [name, given === undefined ? value : typeof value === 'number' ? toNumber(name, given) : given];
    });
    // Each value has the type of its default.
    return Object.fromEntries(read) as Options<T>;
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n  ${usage}`);
    process.exit(2);
  }
}

function describe([name, value]: readonly [string, Default]): string {
  if (typeof value === 'object') return `[--${name} …]…`;
  return `[--${name}${typeof value === 'boolean' ? '' : ` ${value === '' ? '…' : value}`}]`;
}

function toNumber(name: string, given: unknown): number {
  if (given !== '' && Number(given) >= 0) return Number(given);
  throw new Error(`--${name} is "${given}"; it must be a number that is not negative`);
}
