import { followOrder } from './follow-order.ts';
import { key, request, url } from './graph.ts';
import { element, find, type Money, moneyFields, price, renderLine, renderRow, stored, time } from './page.ts';

interface Text {
  readonly text: string;
}

interface GuestOrder {
  readonly number: string;
  readonly status: keyof typeof texts;
  readonly statusReason: string | null;
  readonly readyBy: string;
  readonly confirmedReadyBy: string | null;
  readonly completedAt: string | null;
  readonly serviceType: string | null;
  readonly tip: Money | null;
  readonly total: Money;
  readonly lines: readonly {
    readonly name: Text;
    readonly quantity: number;
    readonly note: string | null;
    readonly modifiers: readonly { readonly name: Text; readonly quantity: number }[];
    readonly totalPrice: Money;
  }[];
}

const name = `name { text(languages: ${JSON.stringify(navigator.languages)}) }`;
const fields = `number status statusReason readyBy confirmedReadyBy completedAt serviceType tip ${moneyFields} total ${moneyFields}
  lines { ${name} quantity note modifiers { ${name} quantity } totalPrice ${moneyFields} }`;
const cancelQuery = `mutation Cancel($input: CancelGuestOrderInput!) {
  cancelGuestOrder(input: $input) { guestOrder { status } }
}`;

const texts = {
  PENDING: 'Sent. The restaurant will accept it in a moment.',
  ACCEPTED: 'Accepted: it is being prepared.',
  READY: 'It is ready!',
  FULFILLED: 'Enjoy your meal!',
  REJECTED: 'The restaurant cannot take your order, sorry.',
  STORE_CANCELLED: 'The restaurant had to cancel your order, sorry.',
  CUSTOMER_CANCELLED: 'You have cancelled your order.',
};
const readyTexts: Readonly<Record<string, string>> = {
  PICKUP: ' You can pick it up.',
  DINE_IN: ' It comes to your table.',
  DELIVERY: ' It is on its way to you.',
};
const steps = { PENDING: 'Sent', ACCEPTED: 'Accepted', READY: 'Ready', FULFILLED: 'Done' };

const savedToken = stored<string>('token');

/** Shows the order that was placed last as it changes, also after a reload. `onClosed` is called when the guest leaves it. */
export function createOrderView(onClosed: () => void) {
  const section = find('order', HTMLElement);
  const title = find('order-title', HTMLElement);
  const cancel = find('cancel', HTMLButtonElement);
  const problem = find('order-problem', HTMLElement);

  function show(order: GuestOrder | null): void {
    title.textContent = order ? `Your order ${order.number}` : 'Your order';
    find('status', HTMLElement).textContent = order ? statusText(order) : 'This order is no longer shown here.';
    find('details', HTMLElement).replaceChildren(...(order ? renderDetails(order) : []));
    find('leave', HTMLElement).hidden = order?.completedAt === null;
    cancel.hidden = order?.status !== 'PENDING';
    problem.textContent = '';
  }

  function open(token: string): void {
    section.hidden = false;
    const following = new AbortController();
    const connection = find('connection', HTMLElement);
    const onLive = (isLive: boolean) => {
      connection.textContent = isLive ? 'Live' : 'Not live now: we look again and again.';
    };
    const options = { url, key, token, fields, onOrder: show, onLive, signal: following.signal };
    followOrder<GuestOrder>(options).finally(() => {
      connection.textContent = '';
    });
    cancel.onclick = async () => {
      cancel.disabled = true;
      // The stream tells what has become of the order.
      await request(cancelQuery, { input: { token } }).catch(error => {
        problem.textContent = `It was not cancelled. ${error.message}`;
      });
      cancel.disabled = false;
    };
    find('leave', HTMLElement).onclick = () => {
      following.abort();
      savedToken.remove();
      section.hidden = true;
      onClosed();
    };
  }

  return {
    /** Opens the order that was placed before a reload; false if there is none. */
    resume(): boolean {
      const token = savedToken.read();
      if (token) open(token);
      return token !== undefined;
    },
    open(token: string): void {
      savedToken.write(token);
      open(token);
      title.focus();
    },
  };
}

function statusText({ status, statusReason, serviceType, readyBy, confirmedReadyBy }: GuestOrder): string {
  const ready = status === 'READY' ? (readyTexts[serviceType ?? ''] ?? '') : '';
  const at = status === 'ACCEPTED' ? ` Ready at about ${time(confirmedReadyBy ?? readyBy)}.` : '';
  return `${texts[status]}${ready}${at}${statusReason ? ` “${statusReason}”` : ''}`;
}

function renderDetails({ status, lines, tip, total }: GuestOrder): HTMLElement[] {
  const shownSteps = Object.entries(steps).map(([step, text]) =>
    element('li', { ariaCurrent: step === status ? 'step' : null }, text),
  );
  const shownLines = lines.map(({ name: { text }, quantity, note, modifiers, totalPrice }) => {
    const named = modifiers.map(modifier => ({ ...modifier, name: modifier.name.text }));
    return renderLine(`${quantity} × ${text}`, { modifiers: named, note, amount: price(totalPrice) });
  });
  return [
    ...(status in steps ? [element('ol', { className: 'steps', ariaLabel: 'Progress' }, ...shownSteps)] : []),
    element('ul', { className: 'lines' }, ...shownLines),
    element('dl', {}, ...(tip ? [renderRow('Tip', price(tip))] : []), renderRow('Total', price(total))),
  ];
}
