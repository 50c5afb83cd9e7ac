/** The operations and fragments of a file by name. As Biome formats them, a definition ends at the first brace that starts a line. */
export function definitionsIn(text: string): ReadonlyMap<string, string> {
  const definitions = text.matchAll(/^(?:query|mutation|subscription|fragment) (\w+)[\s\S]*?^}/gm);
  return new Map([...definitions].map(([definition, name = '']) => [name, definition]));
}

/** Takes an operation from a file, with the fragments that it uses. */
export function selectOperation(definitions: ReadonlyMap<string, string>, name: string): string {
  const selected = new Set<string>();
  const add = (definitionName: string) => {
    const text = definitions.get(definitionName);
    if (text === undefined) throw new Error(`There is no operation or fragment ${definitionName}`);
    if (selected.has(text)) return;
    selected.add(text);
    for (const [, fragment = ''] of text.matchAll(/\.\.\.(?!on\b)(\w+)/g)) add(fragment);
  };
  add(name);
  return [...selected].join('\n');
}
