/** Whether the keyboard has ⌘ where others have Ctrl. */
const isApple = /Mac|iP(hone|ad|od)/.test(navigator.platform);

/** Opens the search of all pages by its button in the head, ⌘K or Ctrl K. It is loaded when it is first opened. */
export function mountFrame(): void {
  const button = document.querySelector<HTMLButtonElement>('.head .find');
  const open = async () => {
    const { openSearch } = await import('./search.ts');
    openSearch();
  };
  const keys = button?.querySelector('kbd');
  if (keys && isApple) keys.textContent = '⌘K';
  button?.addEventListener('click', open);
  // Where the page has no search of its own.
  addEventListener('keydown', event => {
    const isTyping = event.target instanceof Element && event.target.matches('input, select, textarea, [role=textbox]');
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    if (document.querySelector('input[type=search]')) return;
    event.preventDefault();
    open();
  });
  // Before editors that have another use for it.
  addEventListener(
    'keydown',
    event => {
      const isShortcut = event.key.toLowerCase() === 'k' && (isApple ? event.metaKey : event.ctrlKey);
      if (!isShortcut || event.shiftKey || event.altKey) return;
      event.preventDefault();
      event.stopPropagation();
      open();
    },
    { capture: true },
  );
}
