/** A path as a text, e.g. `items[3].price`; keys of a merchant's choosing are quoted unless they are plain words. */
export function placeOf(path: readonly (string | number)[]): string {
  const parts = path.map(part => {
    if (typeof part === 'number') return `[${part}]`;
    return /^[a-z_]\w*$/i.test(part) ? `.${part}` : `[${JSON.stringify(part)}]`;
  });
  return parts.join('').replace(/^\./, '');
}
