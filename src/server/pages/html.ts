const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Escapes a text for the content of an element or a quoted attribute. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, character => entities[character] ?? '');
