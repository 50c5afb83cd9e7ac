const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Escapes a text for the content of an element or a quoted attribute. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, character => entities[character] ?? '');

/** Markup, which a template inserts as it is. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** What a template inserts: a text is escaped, a list is joined, and what is absent leaves nothing. */
type Part = Html | string | number | false | undefined | readonly Part[];

/** The template of server-rendered pages, written as those of lit-html in `web/`. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(strings.reduce((text, string, index) => text + toText(parts[index - 1]) + string));
}

function toText(part: Part): string {
  if (part === undefined || part === false) return '';
  if (part instanceof Html) return part.text;
  return typeof part === 'object' ? part.map(toText).join('') : escapeHtml(String(part));
}
