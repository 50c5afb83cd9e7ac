import { readdirSync, readFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { OperatorError } from '@carte/base/errors';
import { isObject, parseJson } from '@carte/base/json';

/** The files of a set of operations, as they were read: plain values, so that other processes can be sent them. */
export interface SetFiles {
  /** The name of an operator's folder. */
  readonly name: string;
  /** Whether it comes with the service: only these have reserved paths, and their cost is not limited. */
  readonly isBuiltIn: boolean;
  readonly files: readonly SourceFile[];
  /** Recorded bodies of 200, by operation: samples in the OpenAPI document. */
  readonly examples: Readonly<Record<string, unknown>>;
  /** The file that they are from, if there is one. */
  readonly examplesFile?: SourceFile | undefined;
}

export interface SourceFile {
  /** As messages show it. */
  readonly path: string;
  readonly text: string;
}

/** The directives of routes, which every set has. */
const directivesFile = fileURLToPath(new URL('../../directives.graphql', import.meta.url));

export const directivesPath = basename(directivesFile);

/** Reads a set that comes with the service; `folder` is below `root`, and so are files of other sets that it shares. */
export function readBuiltIn(name: string, root: string, [folder, ...shared]: readonly [string, ...string[]]): SetFiles {
  const { files, ...others } = readFolder(join(root, folder), folder);
  const sharedFiles = shared.map(path => ({ path, text: readFileSync(join(root, path), 'utf8') }));
  return { name, isBuiltIn: true, files: [...files, ...sharedFiles], ...others };
}

/** Reads the folders of an operator, none of which has a reserved name; throws with every folder that is no set. */
export function readOperatorSets(folders: readonly string[], reservedNames: readonly string[] = []): SetFiles[] {
  const errors: string[] = [];
  const sets: SetFiles[] = [];
  for (const folder of folders) {
    const name = basename(folder);
    const problem = checkName(name, sets, reservedNames);
    if (problem) errors.push(`${folder} ${problem}`);
    else {
      try {
        sets.push(readVersion(folder));
      } catch (error) {
        errors.push(error instanceof Error ? error.message : String(error));
      }
    }
  }
  if (errors.length > 0) throw new OperatorError(`The folders of operations have errors:\n  ${errors.join('\n  ')}`);
  return sets;
}

/** Reads a folder as a version of a set, whatever its name. */
export const readVersion = (folder: string): SetFiles => ({
  name: basename(folder),
  isBuiltIn: false,
  ...readFolder(folder, shownPath(folder)),
});

/** A set of an operator's that is in no folder. */
export const createSet = (name: string, files: readonly SourceFile[]): SetFiles => ({
  name,
  isBuiltIn: false,
  files: [readDirectives(), ...files],
  examples: {},
});

function checkName(name: string, sets: readonly SetFiles[], reservedNames: readonly string[]): string | undefined {
  if (reservedNames.includes(name)) return `has the name of a built-in set, ${name}; rename the folder`;
  if (sets.some(set => set.name === name)) return `has the name of another set, ${name}; rename one of the folders`;
  if (!/^[a-z][a-z0-9_-]*$/i.test(name))
    return `is no name of a set; rename the folder to letters, digits, "-" and "_", a letter first`;
  return undefined;
}

const shownPath = (folder: string) => {
  const path = relative('', folder);
  return path === '' || path.startsWith('..') ? folder : path;
};

/** Reads the files of a folder, except for the derived schema that is printed beside them. */
function readFolder(folder: string, shownAs: string): Omit<SetFiles, 'name' | 'isBuiltIn'> {
  const names = listFolder(folder, shownAs);
  const files = names
    .filter(name => name.endsWith('.graphql') && name !== 'derived.graphql')
    .sort()
    .map(name => ({ path: `${shownAs}/${name}`, text: readFileSync(join(folder, name), 'utf8') }));
  if (files.length === 0) throw new OperatorError(`${shownAs} has no .graphql file; write an operation with @route`);
  const examplesFile = names.includes('examples.json')
    ? { path: `${shownAs}/examples.json`, text: readFileSync(join(folder, 'examples.json'), 'utf8') }
    : undefined;
  const examples = examplesFile ? readExamples(examplesFile) : {};
  return { files: [readDirectives(), ...files], examples, examplesFile };
}

function listFolder(folder: string, shownAs: string): string[] {
  try {
    return readdirSync(folder);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new OperatorError(`${shownAs} cannot be read; name a folder with .graphql files (${reason})`, { cause });
  }
}

const readDirectives = (): SourceFile => ({
  path: directivesPath,
  text: readFileSync(directivesFile, 'utf8'),
});

/** What else the file has is an error of the contract. */
function readExamples({ path, text }: SourceFile): SetFiles['examples'] {
  try {
    const parsed = parseJson(text);
    return isObject(parsed) && isObject(parsed.responses) ? parsed.responses : {};
  } catch (cause) {
    throw new OperatorError(`${path} is not JSON: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
}
