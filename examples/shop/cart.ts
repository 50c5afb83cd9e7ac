import { type Problem, Refused, request, serviceTypes, storeId } from './graph.ts';
import { closedText, type Item, itemsOf, type Line, type Store } from './menu.ts';
import { element, find, type Money, moneyFields, price, renderLine, renderRow, stored, time } from './page.ts';

interface Quote {
  readonly problems: readonly Problem[];
  /** These are null if a problem leaves open what is ordered. */
  readonly lines: readonly { readonly totalPrice: Money }[] | null;
  readonly tip: Money | null;
  readonly total: Money | null;
  readonly readyBy: string | null;
}

const quoteQuery = `query Quote($input: QuoteOrderInput!) {
  quoteOrder(input: $input) {
    problems { path message code }
    lines { totalPrice ${moneyFields} }
    tip ${moneyFields}
    total ${moneyFields}
    readyBy
  }
}`;
const placeQuery = 'mutation Place($input: PlaceOrderInput!) { placeOrder(input: $input) { guestToken } }';
const quoteDelayMs = 250;

/** What guests read instead of the message of the service, which has the ids of the menu. */
const texts: Readonly<Record<string, string>> = {
  SOLD_OUT: 'Sold out, sorry. Please choose something else.',
  NOT_AVAILABLE: 'We do not have this now, sorry. Please choose something else.',
  REFERENCE_NOT_FOUND: 'We no longer have this, sorry. Please choose something else.',
};

const savedLines = stored<readonly Line[]>('lines');
/**
 * The order that was sent, with its idempotency key, until it is known what has become of it: sent again, also after a reload, it is not
 * placed twice.
 */
const sent = stored<object>('sent');

/** Shows the cart, has it quoted, and sends it. `onPlaced` is called with the token of the order. */
export function createCart(onPlaced: (token: string) => void) {
  const form = find('cart', HTMLFormElement);
  const list = find('lines', HTMLUListElement);
  const sendButton = find('send', HTMLButtonElement);
  const tip = find('tip', HTMLInputElement);
  let items: ReadonlyMap<string, Item> = new Map();
  let closed = '';
  let lines = savedLines.read() ?? [];
  let isSending = false;
  let timer: ReturnType<typeof setTimeout>;
  let quoting = new AbortController();

  form.oninput = () => {
    showService();
    clearTimeout(timer);
    timer = setTimeout(quote, quoteDelayMs);
  };
  form.onsubmit = event => {
    event.preventDefault();
    const customer = { name: given('name'), phone: given('phone') ?? '' };
    sent.write({ ...input(), customer, idempotencyKey: crypto.randomUUID() });
    send();
  };
  find('again', HTMLButtonElement).onclick = send;
  find('discard', HTMLButtonElement).onclick = () => {
    sent.remove();
    change(lines);
  };
  const services = [...form.querySelectorAll<HTMLInputElement>('[name=serviceType]')];
  for (const service of services) if (!serviceTypes.includes(service.value)) service.closest('label')?.remove();
  // The code on a table leads to this page with its number.
  const table = new URLSearchParams(location.search).get('table');
  if (table !== null) find('table', HTMLInputElement).value = table;
  const preset = table === null ? serviceTypes[0] : 'DINE_IN';
  for (const service of services) service.checked = service.value === preset;
  showService();

  function given(name: string): string | undefined {
    return String(new FormData(form).get(name) ?? '').trim() || undefined;
  }

  function showService(): void {
    for (const part of form.querySelectorAll<HTMLFieldSetElement>('[data-service]'))
      part.hidden = part.disabled = part.dataset.service !== given('serviceType');
  }

  /** The number of decimals of the store's currency. */
  function decimals(): number {
    const [item] = items.values();
    return item?.price.decimal?.split('.')[1]?.length ?? 0;
  }

  function input() {
    const [addressLine1, postalCode, city] = ['addressLine1', 'postalCode', 'city'].map(given);
    return {
      storeId,
      lines,
      serviceType: given('serviceType'),
      table: given('table'),
      address: addressLine1 && { addressLine1, postalCode, city },
      customerComments: given('comments'),
      tip: tip.value ? Math.round(tip.valueAsNumber * 10 ** decimals()) : undefined,
    };
  }

  function change(next: readonly Line[]): void {
    lines = next;
    savedLines.write(lines);
    render();
    quote();
  }

  function render(): void {
    const focused = document.activeElement?.id;
    const isSent = sent.read() !== undefined;
    list.replaceChildren(...lines.map((line, index) => renderCartLine(line, index, isSent)));
    find('empty', HTMLElement).hidden = lines.length > 0;
    find('checkout', HTMLElement).hidden = lines.length === 0 || isSent;
    find('to-cart', HTMLElement).hidden = lines.length === 0;
    find('unsure', HTMLElement).hidden = !isSent || isSending;
    find('sending', HTMLElement).hidden = !isSending;
    sendButton.hidden = lines.length === 0 || isSent;
    tip.step = String(10 ** -decimals());
    // The buttons of lines are new.
    if (focused) document.getElementById(focused)?.focus();
  }

  function renderCartLine(line: Line, index: number, disabled: boolean): HTMLElement {
    const item = items.get(line.itemExternalId);
    const name = item?.name.text ?? line.itemExternalId;
    const modifiers = line.modifiers.map(({ modifierItemExternalId: id, quantity }) => {
      const choices = item?.modifierGroups.flatMap(({ modifierItems }) => modifierItems);
      return { name: choices?.find(({ externalId }) => externalId === id)?.name.text ?? id, quantity };
    });
    const button = (sign: string, label: string, by: number) => {
      const changed = lines.with(index, { ...line, quantity: line.quantity + by });
      const onclick = () => change(changed.filter(({ quantity }) => quantity > 0));
      const properties = { id: `line-${index}${sign}`, ariaLabel: `${label}: ${name}`, disabled, onclick };
      return element('button', { type: 'button', ...properties }, sign);
    };
    const quantity = [button('−', 'One less', -1), String(line.quantity), button('+', 'One more', 1)];
    return renderLine(
      name,
      { modifiers, note: line.note },
      element('p', { className: 'problem' }),
      element('div', { className: 'quantity' }, ...quantity),
    );
  }

  /** Has the service price the cart; a quote that arrives after the next one was requested does not count. */
  async function quote(): Promise<void> {
    quoting.abort();
    quoting = new AbortController();
    const { signal } = quoting;
    if (lines.length === 0 || sent.read()) return;
    try {
      const data = await request<{ readonly quoteOrder: Quote }>(quoteQuery, { input: input() }, signal);
      if (!signal.aborted) show(data.quoteOrder);
    } catch (error) {
      if (!signal.aborted) showProblems(problemsOf(error));
    }
  }

  /** Fills a quote into the cart, whose buttons stay what they are: a guest may be about to tap one. */
  function show({ lines: quoted, tip: quotedTip, total, readyBy, problems }: Quote): void {
    for (const [index, shown] of list.querySelectorAll('.price').entries()) {
      const money = quoted?.[index]?.totalPrice;
      shown.textContent = money ? price(money) : '';
    }
    find('sums', HTMLElement).replaceChildren(
      ...(quotedTip ? [renderRow('Tip', price(quotedTip))] : []),
      ...(total ? [renderRow('Total', price(total))] : []),
      ...(readyBy ? [renderRow('Ready at about', time(readyBy))] : []),
    );
    find('to-cart', HTMLElement).textContent = `Your order${total ? ` · ${price(total)}` : ''}`;
    sendButton.disabled = problems.length > 0 || closed !== '';
    showProblems(problems);
  }

  /** Shows each problem at its line, and those of the whole order below. */
  function showProblems(problems: readonly Problem[]): void {
    const lineOf = ({ path: [, part, index] }: Problem) =>
      part === 'lines' && index !== undefined ? Number(index) : undefined;
    const textsAt = (index: number | undefined) =>
      new Set(problems.filter(problem => lineOf(problem) === index).map(({ code, message }) => texts[code] ?? message));
    for (const [index, shown] of list.querySelectorAll('.problem').entries())
      shown.textContent = [...textsAt(index)].join(' ');
    find('problems', HTMLElement).textContent = [...textsAt(undefined)].join(' ');
  }

  async function send(): Promise<void> {
    isSending = true;
    render();
    let problems: readonly Problem[] = [];
    try {
      const variables = { input: sent.read() };
      const { placeOrder } = await request<{ readonly placeOrder: { readonly guestToken: string } }>(
        placeQuery,
        variables,
      );
      onPlaced(placeOrder.guestToken);
      lines = [];
      savedLines.remove();
      sent.remove();
    } catch (error) {
      problems = problemsOf(error);
      if (error instanceof Refused) sent.remove();
    }
    isSending = false;
    render();
    await quote();
    if (problems.length > 0) showProblems(problems);
  }

  return {
    add: (line: Line) => change([...lines, line]),
    /** Shows the cart with the menu as it is now. */
    update(store: Store): void {
      items = itemsOf(store);
      closed = closedText(store);
      render();
      quote();
    },
  };
}

function problemsOf(error: unknown): readonly Problem[] {
  if (error instanceof Refused && error.problems.length > 0) return error.problems;
  return [{ path: [], code: '', message: error instanceof Error ? error.message : String(error) }];
}
