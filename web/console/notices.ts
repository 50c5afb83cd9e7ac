import { html, nothing, type TemplateResult } from 'lit-html';
import { repeat } from 'lit-html/directives/repeat.js';

interface Notice {
  readonly id: number;
  readonly text: string;
  readonly kind: 'info' | 'problem';
}

export type Notices = ReturnType<typeof createNotices>;

const shownMs = 5000;
const maxShown = 5;

export function createNotices(update: () => void) {
  let nextId = 0;
  let shown: readonly Notice[] = [];
  let announcement = '';

  const dismiss = (id: number) => {
    shown = shown.filter(notice => notice.id !== id);
    update();
  };
  const add = (kind: Notice['kind'], text: string) => {
    const id = nextId++;
    // The same text again replaces the first one, and problems stay before others.
    const others = shown.filter(notice => notice.text !== text);
    const excess = others.length - maxShown + 1;
    const dropped = new Set(others.filter(notice => notice.kind === 'info').slice(0, Math.max(0, excess)));
    shown = [...others.filter(notice => !dropped.has(notice)), { id, text, kind }];
    if (kind === 'info') setTimeout(() => dismiss(id), shownMs);
    update();
  };

  return {
    /** Shows a text for some seconds. */
    info: (text: string) => add('info', text),
    /** Shows a text until the user dismisses it, so that none goes unseen. */
    problem: (text: string) => add('problem', text),
    /** Reads a text to users of a screen reader alone. */
    announce(text: string): void {
      announcement = text;
      update();
    },
    view: (): TemplateResult => html`
      <p class="visually-hidden" role="status" aria-live="polite">${announcement}</p>
      <div class="notices" role="log" aria-label="Notices">
        ${repeat(
          shown,
          ({ id }) => id,
          ({ id, kind, text }) => html`
            <div class="notice ${kind}">
              <p dir="auto">${text}</p>
              ${kind === 'problem' ? html`<button type="button" @click=${() => dismiss(id)}>OK</button>` : nothing}
            </div>`,
        )}
      </div>`,
  };
}
