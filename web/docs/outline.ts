/** Removes the outline as soon as Scalar shows the operations. */
export function replaceOutline(outline: HTMLElement, reference: HTMLElement): void {
  showSection(outline);
  new MutationObserver((_changes, observer) => {
    if (!reference.querySelector('section h1')) return;
    observer.disconnect();
    outline.remove();
  }).observe(reference, { childList: true, subtree: true });
}

/** Puts the section that is being read into the address, from which Scalar takes where to start. */
function showSection(outline: HTMLElement): void {
  if (scrollY === 0) return;
  const sections = [...outline.querySelectorAll('section')];
  const current = sections.findLast(section => section.getBoundingClientRect().top < innerHeight / 4);
  if (current) history.replaceState(history.state, '', `#${current.id}`);
}
