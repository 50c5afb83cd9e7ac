type Attributes = Readonly<Record<string, string>>;

/** An element with attributes and children. Texts stay texts: nothing that a merchant wrote is read as markup. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** The element of the page that a selector names; a page without it is a mistake of ours. */
export function find<Kind extends Element>(selector: string, kind: new () => Kind): Kind {
  const found = document.querySelector(selector);
  if (found instanceof kind) return found;
  throw new Error(`The page has no ${kind.name} at ${selector}`);
}
