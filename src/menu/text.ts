/**
 * The translation that serves a reader best: everything is tried for one language before the next, since who asks for
 * [pt-BR, en] is better served by `pt` than by `en`; when no language fits, the first translation there is.
 */
export function pickText(translations: Readonly<Record<string, string>>, languages: readonly string[]): string | null {
  // Only own keys are ever looked up: a reader who asks for "constructor" must not get what nobody posted.
  const keys = Object.keys(translations);
  const filled = keys.filter(key => translations[key] !== '');
  const key = closestKey(filled, languages) ?? filled[0] ?? keys[0];
  return key === undefined ? null : (translations[key] ?? null);
}

function closestKey(keys: readonly string[], languages: readonly string[]): string | undefined {
  for (const language of languages) {
    const key = keyFor(language, keys);
    if (key !== undefined) return key;
  }
  return undefined;
}

/** The language as asked for, then with its last part taken off again and again (`zh-Hant-TW` → `zh-Hant` → `zh`). */
function keyFor(language: string, keys: readonly string[]): string | undefined {
  if (keys.includes(language)) return language;
  const tags = keys.map(fold);
  for (let wanted = fold(language); wanted !== ''; wanted = wanted.slice(0, Math.max(0, wanted.lastIndexOf('-')))) {
    const exact = tags.indexOf(wanted);
    const position = exact === -1 ? tags.findIndex(tag => tag.startsWith(`${wanted}-`)) : exact;
    if (position !== -1) return keys[position];
  }
  return undefined;
}

/** One spelling for `pt-BR`, `pt_br` and `PT_BR`. */
function fold(key: string): string {
  return key.toLowerCase().replaceAll('_', '-');
}
