import { html } from 'lit-html';
import type { OrderingFragment } from '../../../src/generated/web.ts';
import { formatLocalTime, parseLocalTime } from '../../menu/local-time.ts';
import type { App } from '../app.ts';
import { renderChoice } from '../dialog.ts';
import { errorAt, type FieldErrors, fieldErrors, onSubmit, textOf, unreadableIn } from '../fields.ts';
import type { StoreContext } from '../session.ts';
import type { OrderingChange, OrderingState } from './ordering.ts';
import { createTimes } from './times.ts';

interface AskOptions {
  readonly app: App;
  readonly store: StoreContext;
  readonly current: OrderingFragment;
  readonly set: (change: OrderingChange) => Promise<void>;
}

const states: readonly (readonly [OrderingState['state'], string])[] = [
  ['OPEN', 'Open'],
  ['BUSY', 'Busy: orders are ready later'],
  ['PAUSED', 'Paused: no new orders'],
];

const minuteMs = 60_000;
const inMinutes = (minutes: number) => new Date(Date.now() + minutes * minuteMs).toISOString();

/** Asks how a store takes orders from now on. */
export function askOrdering({ app, store, current, set }: AskOptions): void {
  const times = createTimes(store);
  let errors: FieldErrors = {};
  const tomorrow = parseLocalTime(
    `${formatLocalTime(new Date(Date.now() + 24 * 60 * minuteMs), store.timezone).slice(0, 10)}T05:00`,
    store.timezone,
  )?.toISOString();
  const ends: readonly (readonly [label: string, until: () => string | null])[] = [
    ...(current.until ? [[`until ${times.at(current.until, Date.now())}`, () => current.until] as const] : []),
    ['for 30 min', () => inMinutes(30)],
    ['for 1 h', () => inMinutes(60)],
    ['for 2 h', () => inMinutes(120)],
    ...(tomorrow ? [['until tomorrow, 05:00', () => tomorrow] as const] : []),
    ['until it is opened again', () => null],
  ];

  function read(form: FormData): OrderingChange {
    const state = textOf(form, 'state') as OrderingState['state'];
    const preparationMinutes = Number(textOf(form, 'preparationMinutes'));
    if (state === 'OPEN') return { state, preparationMinutes };
    const [, until] = ends[Number(form.get('until'))] ?? [];
    return {
      state,
      until: until?.() ?? null,
      delayMinutes: state === 'BUSY' ? Number(textOf(form, 'delayMinutes')) : null,
      reason: textOf(form, 'reason') || null,
      preparationMinutes,
    };
  }

  async function send(change: OrderingChange, form: HTMLFormElement): Promise<void> {
    errors = unreadableIn(form);
    if (Object.keys(errors).length > 0) return app.update();
    try {
      await set(change);
      app.dialogs.close();
    } catch (error) {
      errors = fieldErrors(error);
      app.update();
    }
  }

  app.dialogs.open({
    title: `Orders of ${store.name}`,
    body: () => html`
      <form class="form" novalidate @submit=${onSubmit(read, send)}>
        <fieldset class="choices">
          <legend>Now</legend>
          ${states.map(
            ([state, label]) => html`
              <label class="check"><input type="radio" name="state" value=${state} ?checked=${state === current.state} ?autofocus=${state === current.state}> ${label}</label>`,
          )}
        </fieldset>
        <label class="when-busy">Later by, in minutes
          <input name="delayMinutes" type="number" inputmode="numeric" min="1" value=${current.delayMinutes ?? 15}></label>
        ${errorAt(errors, 'delayMinutes')}
        <label class="unless-open">How long
          <select name="until">${ends.map(([label], index) => html`<option value=${index}>${label}</option>`)}</select></label>
        ${errorAt(errors, 'until')}
        <label class="unless-open">Reason, for guests
          <input name="reason" maxlength="255" autocomplete="off" dir="auto" value=${current.reason ?? ''}></label>
        ${errorAt(errors, 'reason')}
        <label>Minutes until an order is ready, if none of its dishes says
          <input name="preparationMinutes" type="number" inputmode="numeric" min="0" value=${current.preparationMinutes}></label>
        ${errorAt(errors, 'preparationMinutes')}
        ${errorAt(errors, '')}
        ${renderChoice(app, html`<button class="main">Save</button>`)}
      </form>`,
  });
}
