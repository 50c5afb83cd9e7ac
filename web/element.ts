type Attributes = Readonly<Record<string, string>>;

/** Creates an element. Strings become text nodes, so that no text of a merchant is parsed as markup. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const created = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) created.setAttribute(name, value);
  created.append(...children);
  return created;
}

/** Has the key `/` lead to a field, unless the user is typing. */
export function focusWithSlash(findField: () => HTMLElement | null): void {
  addEventListener('keydown', event => {
    const isTyping = event.target instanceof Element && event.target.matches('input, select, textarea');
    const field = findField();
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey || !field) return;
    event.preventDefault();
    field.focus();
  });
}

/** Finds the element of a selector; throws if the page has none of this type. */
export function find<Type extends Element>(selector: string, type: new () => Type): Type {
  const found = document.querySelector(selector);
  if (found instanceof type) return found;
  throw new Error(`The page has no ${type.name} at ${selector}`);
}
