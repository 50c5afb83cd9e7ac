import { posix } from 'node:path';

type JoinedModules = ReturnType<typeof joinModules>;

const importPattern = /^import\s*(\{[^}]*\}|\* as \w+)\s*from '([^']+)';/gm;
const exportPattern = /^export (?=(?:async )?(?:function|const|class) (\w+))/gm;
const packageFolder = 'packages/';

/**
 * Joins modules with all that they import in one file, which a browser loads at once instead of one level of imports after the other. Each
 * becomes a function that runs when the module is first used, and the first one is run at once. It knows the imports and exports that our
 * modules have, and refuses others.
 */
export function joinModules(entries: readonly [main: string, ...others: string[]], read: (path: string) => string) {
  const paths = new Set<string>(entries);
  const packages = new Set<string>();
  for (const path of paths) {
    for (const [, , name = ''] of read(path).matchAll(importPattern)) {
      const imported = resolve(path, name);
      (imported.startsWith(packageFolder) ? packages : paths).add(imported);
    }
  }
  const packageNames = new Map([...packages].map((path, index) => [path, `package${index}`]));

  /** The body of a function that returns the exports of a module. */
  const toFunction = (path: string, source: string) => {
    const body = source
      .replace(importPattern, (_text, names, name) => {
        const imported = resolve(path, name);
        return bind(names, packageNames.get(imported) ?? `use('${imported}')`);
      })
      .replace(/\bimport\('(\.[^']+)'\)/g, (_text, name) => {
        const imported = resolve(path, name);
        return paths.has(imported) ? `(async () => use('${imported}'))()` : `import('./${imported}')`;
      })
      .replace(exportPattern, '')
      .replace(/(?<=new URL\()'([^']+)'(?=, import\.meta\.url\))/g, (_text, name) => `'./${resolve(path, name)}'`);
    const [unknown] = /^(?:import|export)\b.*/m.exec(body) ?? [];
    if (unknown !== undefined) throw new Error(`web/${path} cannot be joined with others because of "${unknown}"`);
    return `${body}\nreturn { ${[...source.matchAll(exportPattern)].map(([, name]) => name).join(', ')} };`;
  };

  const imports = [...packageNames].map(([path, name]) => `import * as ${name} from './${path}';`);
  const functions = [...paths].map(path => `'${path}'() {\n${toFunction(path, read(path))}\n},`);
  const text = `${imports.join('\n')}
const used = {};
export const use = path => (used[path] ??= modules[path]());
const modules = {
${functions.join('\n')}
};
use('${entries[0]}');
`;
  // The packages are those that the joined modules import.
  return { text, packages: [...packages], paths };
}

/** Lets a module that is not joined import from those that are, which must not be loaded twice. `file` is where they are. */
export function linkToJoined(path: string, source: string, { paths }: JoinedModules, file: string): string {
  let isLinked = false;
  const linked = source.replace(importPattern, (text, names, name) => {
    const imported = resolve(path, name);
    if (!paths.has(imported)) return text;
    isLinked = true;
    return bind(names, `use('${imported}')`);
  });
  return isLinked ? `import { use } from '${posix.relative(posix.dirname(path), file)}'; ${linked}` : source;
}

const resolve = (path: string, name: string) => posix.join(posix.dirname(path), name);

/** `{ a, b as c }` or `* as c`, of an import, as a declaration. */
function bind(names: string, value: string): string {
  const [, namespace] = /^\* as (\w+)/.exec(names) ?? [];
  return `const ${namespace ?? names.replace(/ as /g, ': ')} = ${value};`;
}
