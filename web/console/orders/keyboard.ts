const arrows: Readonly<Record<string, readonly [columns: number, rows: number]>> = {
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
};

/** Moves the focus among the orders of the board by arrow keys; `n` takes the next step of the focused one. */
export function moveFocus(event: KeyboardEvent): void {
  const { target, key } = event;
  if (!(target instanceof HTMLElement) || event.ctrlKey || event.metaKey || event.altKey) return;
  if (target.matches('input, select, textarea') || target.closest('.detail, dialog')) return;
  const card = target.closest<HTMLElement>('.card');
  if (key === 'n' && card && !event.repeat) card.querySelector<HTMLElement>('[data-action=next]')?.click();
  const step = arrows[key];
  if (!step) return;
  const next = card ? neighbour(card, step) : document.querySelector<HTMLElement>('.card');
  if (!next) return;
  event.preventDefault();
  next.querySelector<HTMLElement>('.card-main')?.focus();
}

function neighbour(card: HTMLElement, [columns, rows]: readonly [number, number]): HTMLElement | undefined {
  const lists = [...document.querySelectorAll('.column, .results')].map(column => [
    ...column.querySelectorAll<HTMLElement>('.card'),
  ]);
  const column = lists.findIndex(list => list.includes(card));
  const row = lists[column]?.indexOf(card) ?? 0;
  if (rows !== 0) return lists[column]?.[row + rows];
  // Right is the next column, or the previous one from right to left.
  const direction = getComputedStyle(card).direction === 'rtl' ? -columns : columns;
  const others = direction > 0 ? lists.slice(column + 1) : lists.slice(0, Math.max(0, column)).reverse();
  const list = others.find(({ length }) => length > 0);
  return list?.[Math.min(row, list.length - 1)];
}
