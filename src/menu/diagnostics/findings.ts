import type { Finding, Path } from './subject.ts';
import { ownerOf, pathOf, type Text, wordsOf } from './texts.ts';
import { isBlank, quoted } from './wording.ts';

/** Names and descriptions without text, and damaged ones. */
export function* checkFlaws(texts: readonly Text[]): Generator<Finding> {
  for (const text of texts) {
    if (text.keys.length > 0 && text.keys.every(key => isSound(wordsOf(text, key)))) continue;
    yield* checkBlanks(text);
    yield* checkDamage(text);
  }
}

function* checkBlanks(text: Text): Generator<Finding> {
  const { field, keys } = text;
  const blank = keys.filter(key => isBlank(wordsOf(text, key)));
  if (blank.length === keys.length) {
    const code = field === 'name' ? 'MISSING_NAME' : 'BLANK_DESCRIPTION';
    yield { code, path: pathOf(text), message: `${ownerOf(text)} has a ${field} without any text.` };
    return;
  }
  for (const key of blank) {
    const code = field === 'name' ? 'BLANK_NAME' : 'BLANK_DESCRIPTION';
    const message = `${ownerOf(text)} has a blank ${field} in the language ${quoted(key)}.`;
    yield { code, path: [...pathOf(text), 'translations', key], message };
  }
}

/** UTF-8 that was read as Latin-1 or Windows-1252, as in "CafÃ©", and the character that stands for lost ones. */
const garbled = /Ã[\u00a1-\u00aa\u00ac\u00ad\u00af-\u00ba\u00bc-\u00bf]|Â[°©®·º]|â€[™œ\u009d“”¢¦]|\ufffd/;
const markup = /<\/?[a-z][^<>]{0,100}>|&(?:amp|lt|gt|quot|apos|nbsp|#\d{1,6}|#x[\da-f]{1,6});/i;

/** Nearly every text, at the price of one search. */
function isSound(words: string): boolean {
  return !/[<&ÃÂâ\ufffd]/.test(words) && !isBlank(words);
}

function* checkDamage(text: Text): Generator<Finding> {
  for (const key of text.keys) {
    const words = wordsOf(text, key);
    const path: Path = [...pathOf(text), 'translations', key];
    const [garbage] = words.match(garbled) ?? [];
    if (garbage !== undefined) {
      const statement = `has a ${text.field} with ${quoted(garbage)}, which may be a letter lost in conversion`;
      yield { code: 'GARBLED_TEXT', path, message: `${ownerOf(text)} ${statement}.` };
    }
    const [tag] = words.match(markup) ?? [];
    if (tag !== undefined) {
      const statement = `has a ${text.field} with the markup ${quoted(tag)}, which guests may see as it stands`;
      yield { code: 'MARKUP_IN_TEXT', path, message: `${ownerOf(text)} ${statement}.` };
    }
  }
}
