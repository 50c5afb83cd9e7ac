import { html, type TemplateResult } from 'lit-html';
import { type App, followLink } from '../app.ts';
import { icon } from '../icon.ts';
import { formatRoute } from '../route.ts';
import type { StoreContext } from '../session.ts';
import { isAllowed } from '../shell.ts';

/** What a view of the menu shows where there is none, and how to get one. */
export function renderNoMenu(app: App, { id }: StoreContext): TemplateResult {
  const upload = { view: 'upload', store: id } as const;
  return html`
    <div class="nothing">
      ${icon('book-open')}
      <strong>This store has no menu yet.</strong>
      ${
        isAllowed(app, upload.view)
          ? html`<a class="button main" href="console${formatRoute(upload)}" @click=${followLink(app, upload)}>Upload one</a>`
          : html`<p>A key that changes menus can upload one.</p>`
      }
    </div>`;
}
