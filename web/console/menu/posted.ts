import { type AnyNode, type DocumentNode, type Location, parse } from '@humanwhocodes/momoa';

/** A text that is no JSON, and where. */
export class SyntaxProblem extends Error {
  readonly offset: number;
  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

type Path = readonly (string | number)[];

/** The keys of this object are languages, not names of fields. */
const mapOfTexts = 'translations';

/** Parses a configuration as it is posted to `/v1/stores/{store_service_id}/menu_configuration/`; throws `SyntaxProblem`. */
export function parsePosted(text: string): DocumentNode {
  try {
    return parse(text, { mode: 'json', ranges: true });
  } catch (error) {
    if (isTruncated(text))
      throw new SyntaxProblem('The text ends in the middle: the file is not complete.', text.trimEnd().length - 1);
    const { offset = 0 } = error as { readonly offset?: number };
    const message = error instanceof Error ? error.message.replace(/ \(\d+:\d+\)$/, '') : String(error);
    throw new SyntaxProblem(`This is no JSON: ${message}`, offset);
  }
}

const closing: Readonly<Record<string, string>> = { '{': '}', '[': ']' };

/** Whether a text would be JSON if more followed: its brackets match, but not all of them are closed. */
function isTruncated(text: string): boolean {
  const open: string[] = [];
  for (const [bracket] of text.replaceAll(/"(?:[^"\\\n]|\\.)*"?/g, '').matchAll(/[{}[\]]/g)) {
    const end = closing[bracket];
    if (end) open.push(end);
    else if (open.pop() !== bracket) return false;
  }
  return open.length > 0;
}

/** Converts the posted names to those of the graph, `external_id` to `externalId`, and leaves out the values at some paths. */
export function toInput({ body }: DocumentNode, without: ReadonlySet<string>): unknown {
  return convert(body, [], without, false);
}

function convert(node: AnyNode, path: Path, without: ReadonlySet<string>, isMap: boolean): unknown {
  if (node.type === 'Array') {
    return node.elements.map(({ value }, index) => convert(value, [...path, index], without, false));
  }
  if (node.type === 'Object') {
    const entries = node.members.flatMap(({ name, value }) => {
      const key = keyOf(name);
      const memberPath = [...path, key];
      if (without.has(JSON.stringify(memberPath))) return [];
      return [[isMap ? key : toGraphName(key), convert(value, memberPath, without, key === mapOfTexts)]];
    });
    // Unlike an assignment, it keeps a key such as `__proto__`.
    return Object.fromEntries(entries);
  }
  return 'value' in node ? node.value : null;
}

/** Converts a configuration of the graph to the posted names, without what is null. */
export function toPosted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toPosted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, part]) => part !== null);
  return Object.fromEntries(
    entries.map(([key, part]) => [toPostedName(key), key === mapOfTexts ? part : toPosted(part)]),
  );
}

/** Converts a path of the graph to that of the posted names. */
export function toPostedPath(path: Path): Path {
  const map = path.indexOf(mapOfTexts);
  return path.map((key, index) => (typeof key === 'number' || (map !== -1 && index > map) ? key : toPostedName(key)));
}

/** The words of GraphQL for a wrong type, and those for someone who posts JSON; what follows the place in the text. */
const plainWords: readonly (readonly [words: RegExp, plain: string])[] = [
  [/^Field ".*" of required type /, 'is missing'],
  [/^Expected non-nullable type /, 'must not be null'],
  [/^Expected type "\w+" to be an object/, 'must be an object'],
  [/^Boolean cannot represent /, 'must be true or false'],
  [/^String cannot represent /, 'must be a text'],
  [/^Float cannot represent /, 'must be a number'],
];

/** Describes a validation error of the graph at a posted path, without the types of the graph. */
export function toPostedMessage(message: string, path: Path): string {
  const [, plain] = plainWords.find(([words]) => words.test(message)) ?? [];
  const key = path.at(-1);
  return plain === undefined ? message : `${typeof key === 'string' ? key : 'this'} ${plain}`;
}

/** A part of the text: offsets in it, and the line, from 1. */
export interface Place {
  readonly start: number;
  readonly end: number;
  readonly line: number;
}

/** Finds the value at a path, or the innermost one around it that exists, e.g. the object that lacks a field. */
export function findPlace({ body }: DocumentNode, path: Path): Place {
  let node: AnyNode = body;
  for (const key of path) {
    const next = childOf(node, key);
    if (!next) return placeOf(node, true);
    node = next;
  }
  return placeOf(node, false);
}

function childOf(node: AnyNode, key: string | number): AnyNode | undefined {
  if (node.type === 'Array') return node.elements[Number(key)]?.value;
  if (node.type !== 'Object') return undefined;
  // Of members with the same name the last one counts.
  return node.members.findLast(({ name }) => keyOf(name) === key)?.value;
}

/** Of an object or array around the place, only its first character is marked. */
function placeOf(
  { loc }: { readonly loc: { readonly start: Location; readonly end: Location } },
  isAround: boolean,
): Place {
  const start = loc.start.offset;
  return { start, end: isAround ? start + 1 : loc.end.offset, line: loc.start.line };
}

function keyOf(name: AnyNode): string {
  return name.type === 'String' ? name.value : name.type === 'Identifier' ? name.name : '';
}

/** The posted names that are not those of the graph in snake_case: `@nameInBodies` of its input types. */
const graphNames = new Map([
  ['allergens', 'allergensText'],
  ['prep_time', 'preparationMinutes'],
  ['modifier_external_ids', 'modifierGroupExternalIds'],
  ['menu_item_external_id', 'itemExternalId'],
]);
const postedNames = new Map([...graphNames].map(([posted, graph]) => [graph, posted]));

const toGraphName = (name: string) =>
  graphNames.get(name) ?? name.replace(/_([a-z0-9])/g, (_match, letter: string) => letter.toUpperCase());
const toPostedName = (name: string) =>
  postedNames.get(name) ?? name.replace(/[A-Z]|\d+/g, part => `_${part.toLowerCase()}`);
