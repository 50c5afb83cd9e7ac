import { html, nothing, type TemplateResult } from 'lit-html';
import type {
  OrderingFragment,
  SetOrderingMutation,
  SetOrderingMutationVariables,
  StoreOrderingQuery,
  StoreOrderingQueryVariables,
} from '../../../src/generated/web.ts';
import type { App } from '../app.ts';
import { openOperations } from '../client.ts';
import { messageOf } from '../errors.ts';
import type { Times } from './times.ts';

const { operation } = openOperations(new URL('ordering.graphql', import.meta.url));
const fetchOrdering = operation<StoreOrderingQuery, StoreOrderingQueryVariables>('StoreOrdering');
const setOrdering = operation<SetOrderingMutation, SetOrderingMutationVariables>('SetOrdering');

/** How often it is looked whether someone else has changed it. */
const pollMs = 15_000;

interface Choice {
  readonly label: string;
  readonly state: OrderingFragment['state'];
  readonly delayMinutes?: number;
  /** Until it is open again by itself. */
  readonly minutes?: number;
}

const choices: readonly Choice[] = [
  { label: 'Open', state: 'OPEN' },
  { label: 'Busy, 15 min later', state: 'BUSY', delayMinutes: 15 },
  { label: 'Busy, 30 min later', state: 'BUSY', delayMinutes: 30 },
  { label: 'Busy, 60 min later', state: 'BUSY', delayMinutes: 60 },
  { label: 'Pause for 30 min', state: 'PAUSED', minutes: 30 },
  { label: 'Pause for 60 min', state: 'PAUSED', minutes: 60 },
  { label: 'Pause', state: 'PAUSED' },
];

interface OrderingOptions {
  readonly app: App;
  readonly storeId: string;
  readonly times: Times;
}

/** Whether the store takes orders, and the choice to pause it, to delay orders and to open it again. */
export function createOrdering({ app, storeId, times }: OrderingOptions) {
  let ordering: OrderingFragment | undefined;
  let isSending = false;
  const timer = setInterval(load, pollMs);
  load();

  function load(): void {
    // The board reports a connection that is lost.
    fetchOrdering({ store: storeId }).then(
      ({ store }) => !isSending && show(store?.ordering),
      () => {},
    );
  }

  function show(next: OrderingFragment | undefined): void {
    ordering = next ?? ordering;
    app.update();
  }

  async function choose(choice: Choice): Promise<void> {
    const { state, delayMinutes = null, minutes } = choice;
    const until = minutes === undefined ? null : new Date(Date.now() + minutes * 60_000).toISOString();
    isSending = true;
    try {
      const { setStoreOrdering } = await setOrdering({ store: storeId, state, delayMinutes, until });
      show(setStoreOrdering?.store.ordering);
    } catch (error) {
      app.notices.problem(`“${choice.label}” was not applied. ${messageOf(error)}`);
      show(ordering);
    }
    isSending = false;
  }

  function onChange({ target }: Event): void {
    const select = target as HTMLSelectElement;
    const choice = choices[Number(select.value)];
    // Back to what holds, whatever becomes of the choice.
    select.value = '';
    if (choice) choose(choice);
  }

  function describe({ state, until, delayMinutes, reason }: OrderingFragment): string {
    const word = { OPEN: 'Open', BUSY: `Busy, ${delayMinutes} min later`, PAUSED: 'Paused' }[state];
    const end = until ? ` until ${times.at(until, Date.now())}` : '';
    return `${word}${end}${reason ? ` (${reason})` : ''}`;
  }

  return {
    view(): TemplateResult | typeof nothing {
      if (!ordering) return nothing;
      const text = describe(ordering);
      if (!app.can('ORDERS'))
        return html`<p class="ordering ${ordering.state.toLowerCase()}" role="status">${text}</p>`;
      return html`
        <div class="ordering ${ordering.state.toLowerCase()}">
          <label for="ordering">Orders</label>
          <select id="ordering" ?disabled=${isSending} @change=${onChange}>
            <option value="">${text}</option>
            ${choices.map(({ label }, index) => html`<option value=${index}>${label}</option>`)}
          </select>
        </div>`;
    },
    close: () => clearInterval(timer),
  };
}
