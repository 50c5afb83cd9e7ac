/** A button that copies what a block of text holds when it is pressed, and says so. */
export function copyButton(source: HTMLElement): HTMLButtonElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    button.textContent = (await copy(source)) ? 'Copied' : 'Selected: press Ctrl+C';
    setTimeout(() => (button.textContent = 'Copy'), 2000);
  });
  return button;
}

async function copy(source: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(source.textContent);
    return true;
  } catch {
    // Browsers keep the clipboard from pages that came without TLS from another machine.
    getSelection()?.selectAllChildren(source);
    return false;
  }
}
