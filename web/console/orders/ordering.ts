import { html, nothing, type TemplateResult } from 'lit-html';
import type { OrderingFragment, StoreEventsSubscription } from '../../../src/generated/web.ts';
import { messageOf } from '../../errors.ts';
import type { App } from '../app.ts';
import { openOperations } from '../client.ts';
import type { Times } from './times.ts';

const { operation, subscription } = openOperations(new URL('ordering.graphql', import.meta.url));
const fetchOrdering = operation('StoreOrdering');
const setOrdering = operation('SetOrdering');
const setGuestOrders = operation('SetGuestOrders');
const watchStores = subscription('StoreEvents');

/** How often it is read where it is not streamed. */
const pollMs = 15_000;
/** A stream that was opened just now may begin a moment after the state was read. */
const settleMs = 2000;

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
  /** Whether the orders of the board are streamed. */
  readonly isLive: () => boolean;
  /** Whether the board has an order from a web page. */
  readonly hasGuestOrders: () => boolean;
}

/** Whether the store takes orders, and the choice to pause it, to delay orders and to open it again. */
export function createOrdering({ app, storeId, times, isLive, hasGuestOrders }: OrderingOptions) {
  let ordering: OrderingFragment | undefined;
  let isSending = false;
  const closing = new AbortController();
  let isStreaming = false;
  let isOpening = false;
  const canRead = app.can('READ_MENUS');
  const timer = setInterval(() => {
    if (!isStreaming) load();
    openStream();
  }, pollMs);
  load();
  openStream();

  function load(): void {
    if (!canRead) return;
    // The board reports a connection that is lost.
    fetchOrdering({ store: storeId }).then(
      ({ store }) => !isSending && show(store?.ordering),
      () => {},
    );
  }

  /** Opens the stream beside that of the orders, which comes first where a proxy allows one only. */
  function openStream(): void {
    if (isOpening || closing.signal.aborted || !isLive() || !canRead) return;
    isOpening = true;
    const onOpen = () => {
      isStreaming = true;
      load();
      setTimeout(load, settleMs);
    };
    const onData = ({ storeEvents: event }: StoreEventsSubscription) => {
      if (event.storeId === storeId && !isSending) show(event.store?.ordering);
    };
    const end = () => {
      isOpening = false;
      isStreaming = false;
    };
    watchStores({}, { signal: closing.signal, lostAt: 0, onOpen, onData }).then(end, end);
  }

  function show(next: OrderingFragment | undefined): void {
    ordering = next ?? ordering;
    app.update();
  }

  async function set(label: string, sending: ReturnType<typeof setOrdering | typeof setGuestOrders>): Promise<void> {
    isSending = true;
    try {
      const { setStoreOrdering } = await sending;
      ordering = setStoreOrdering?.store.ordering ?? ordering;
    } catch (error) {
      app.notices.problem(`“${label}” was not applied. ${messageOf(error)}`);
    }
    isSending = false;
    app.update();
  }

  function choose({ label, state, delayMinutes, minutes }: Choice): void {
    const until = minutes === undefined ? null : new Date(Date.now() + minutes * 60_000).toISOString();
    set(label, setOrdering({ store: storeId, state, delayMinutes: delayMinutes ?? null, until }));
  }

  /** Stops orders from web pages, or takes them again; shown where there are any. */
  function renderGuestOrders({ guestOrders }: OrderingFragment): TemplateResult | typeof nothing {
    if (guestOrders && !hasGuestOrders()) return nothing;
    const label = guestOrders ? 'Stop web orders' : 'Take web orders again';
    const onClick = () => set(label, setGuestOrders({ store: storeId, guestOrders: !guestOrders }));
    return html`<button type="button" class=${guestOrders ? '' : 'main'} ?disabled=${isSending} @click=${onClick}>${label}</button>`;
  }

  function onChange({ target }: Event): void {
    const select = target as HTMLSelectElement;
    const choice = choices[Number(select.value)];
    // Back to what holds, whatever becomes of the choice.
    select.value = '';
    if (choice) choose(choice);
  }

  function describe({ state, until, delayMinutes, reason, guestOrders }: OrderingFragment): string {
    const word = { OPEN: 'Open', BUSY: `Busy, ${delayMinutes} min later`, PAUSED: 'Paused' }[state];
    const web = guestOrders ? '' : ', no web orders';
    const end = until ? ` until ${times.at(until, Date.now())}` : '';
    return `${word}${end}${web}${reason ? ` (${reason})` : ''}`;
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
        </div>
        ${renderGuestOrders(ordering)}`;
    },
    /** Called when the orders are streamed. */
    openStream,
    close(): void {
      clearInterval(timer);
      closing.abort();
    },
  };
}
