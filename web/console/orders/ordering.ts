import { html, nothing, type TemplateResult } from 'lit-html';
import type {
  OrderingFragment,
  SetOrderingMutationVariables,
  StoreEventsSubscription,
} from '../../../src/generated/web.ts';
import { messageOf } from '../../errors.ts';
import type { IconName } from '../../icon-names.ts';
import type { App } from '../app.ts';
import { openOperations } from '../client.ts';
import { icon } from '../icon.ts';
import type { StoreContext } from '../session.ts';
import { createTimes, type Times } from './times.ts';

const { operation, subscription } = openOperations(new URL('ordering.graphql', import.meta.url));
const fetchOrdering = operation('StoreOrdering');
const setOrdering = operation('SetOrdering');
const watchStores = subscription('StoreEvents');

/** How often it is read where it is not streamed. */
const pollMs = 15_000;
/** A stream that was opened just now may begin a moment after the state was read. */
const settleMs = 2000;

export type OrderingState = Omit<OrderingFragment, 'acceptsGuestOrders' | 'preparationMinutes'>;
export type OrderingChange = Omit<SetOrderingMutationVariables['input'], 'storeId'>;
export type Ordering = ReturnType<typeof createOrdering>;

const icons: Readonly<Record<OrderingState['state'], IconName>> = {
  OPEN: 'check-circle',
  BUSY: 'clock',
  PAUSED: 'pause-circle',
};

/** Describes how a store takes orders, e.g. `Paused until 18:30 (rain)`. */
function describeOrdering({ state, until, delayMinutes, reason }: OrderingState, { at }: Times): string {
  const word = { OPEN: 'Open', BUSY: `Busy, ${delayMinutes} min later`, PAUSED: 'Paused' }[state];
  return `${word}${until ? ` until ${at(until, Date.now())}` : ''}${reason ? ` (${reason})` : ''}`;
}

export const renderState = (ordering: OrderingState, times: Times): TemplateResult =>
  html`${icon(icons[ordering.state])} <span>${describeOrdering(ordering, times)}</span>`;

interface OrderingOptions {
  readonly app: App;
  readonly store: StoreContext;
  /** Whether the orders of the store are streamed. */
  readonly isLive: () => boolean;
}

/** Follows whether a store takes orders, in whatever view is shown, and lets the user pause it, delay orders and open it again. */
export function createOrdering({ app, store, isLive }: OrderingOptions) {
  const times = createTimes(store);
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
    fetchOrdering({ store: store.id }).then(
      ({ store: found }) => !isSending && show(found?.ordering),
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
      if (event.storeId === store.id && !isSending) show(event.store?.ordering);
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

  async function set(change: OrderingChange): Promise<void> {
    isSending = true;
    app.update();
    try {
      const { setStoreOrdering: changed } = await setOrdering({ input: { ...change, storeId: store.id } });
      ordering = changed?.store.ordering ?? ordering;
    } finally {
      isSending = false;
      app.update();
    }
  }

  async function ask(current: OrderingFragment): Promise<void> {
    try {
      (await import('./ask-ordering.ts')).askOrdering({ app, store, current, set });
    } catch {
      app.notices.problem('This cannot be loaded: is there a network?');
    }
  }

  return {
    /** Renders the state, with a button that changes it. */
    view(): TemplateResult | typeof nothing {
      const shown = ordering;
      if (!shown) return nothing;
      const state = html`${renderState(shown, times)}${shown.acceptsGuestOrders ? nothing : html`<span>, no web orders</span>`}`;
      const name = `ordering ${shown.state.toLowerCase()}`;
      if (!app.can('ORDERS')) return html`<p class=${name} role="status">${state}</p>`;
      return html`
        <button type="button" class=${name} aria-haspopup="dialog" ?disabled=${isSending} @click=${() => ask(shown)}>
          <span class="visually-hidden">Orders: </span>${state} ${icon('chevron-down')}</button>`;
    },
    /** Renders the button that stops orders from web pages, or takes them again; `isNeeded` where there are any. */
    renderGuestOrders(isNeeded: boolean): TemplateResult | typeof nothing {
      if (!ordering || !app.can('ORDERS') || (ordering.acceptsGuestOrders && !isNeeded)) return nothing;
      const { acceptsGuestOrders } = ordering;
      const label = acceptsGuestOrders ? 'Stop web orders' : 'Take web orders again';
      const onClick = () =>
        set({ acceptsGuestOrders: !acceptsGuestOrders }).catch(error =>
          app.notices.problem(`“${label}” was not applied. ${messageOf(error)}`),
        );
      return html`<button type="button" class=${acceptsGuestOrders ? '' : 'main'} ?disabled=${isSending} @click=${onClick}>${label}</button>`;
    },
    /** Called when the orders are streamed. */
    openStream,
    close(): void {
      clearInterval(timer);
      closing.abort();
    },
  };
}
