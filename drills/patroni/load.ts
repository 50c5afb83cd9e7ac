import { setTimeout as sleep } from 'node:timers/promises';
import type { Reply, Service } from '../failover/service.ts';

interface Sent {
  readonly begun: number;
  readonly ended: number;
  /** 0 if there was no response. */
  readonly status: number;
  readonly isWrite: boolean;
}

/** An order that was acknowledged. */
interface Acknowledged {
  readonly store: string;
  readonly at: number;
}

/** The orders that a list showed. */
interface Shown {
  readonly store: string;
  readonly begun: number;
  readonly ended: number;
  readonly ids: ReadonlySet<string>;
}

const placeOrder = 'mutation ($input: PlaceOrderInput!) { placeOrder(input: $input) { order { id } } }';
const pauseMs = 200;
/** Of a list; a load places fewer orders in a store. */
const pageSize = 500;

/** Places orders, each of them again until it is acknowledged, and reads lists and menus, through both processes of a service. */
export class Load {
  readonly sent: Sent[] = [];
  readonly acknowledged = new Map<string, Acknowledged>();
  /** Responses that must not occur. */
  readonly problems: string[] = [];
  readonly #shown: Shown[] = [];
  readonly #service: Service;
  /** In the name of every guest, so that lists show the orders of this load. */
  readonly #mark: string;
  readonly #loops: Promise<void>[];
  #isOver = false;

  constructor(service: Service, stores: readonly string[], mark: string) {
    this.#service = service;
    this.#mark = mark;
    this.#loops = stores.flatMap(store => [this.#write(store), this.#list(store), this.#readMenu(store)]);
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#loops);
  }

  /** When the first order was acknowledged that was sent after a time. */
  firstWriteAfter(time: number): number | undefined {
    return this.sent.find(({ begun, status, isWrite }) => isWrite && status === 200 && begun >= time)?.ended;
  }

  /** The responses other than 200, counted by status. */
  get failures(): string {
    const failed = this.sent.filter(({ status }) => status !== 200);
    const counts = [...Map.groupBy(failed, ({ status }) => status)];
    return counts.map(([status, all]) => `${all.length} × ${status || 'no response'}`).join(', ') || 'none';
  }

  get slowestMs(): number {
    return Math.max(...this.sent.map(({ begun, ended }) => ended - begun));
  }

  /**
   * Lists that lacked an order which was acknowledged before, or showed one that had been lost: once a list has not shown it, no later one may.
   */
  findWrongLists(lost: ReadonlySet<string>): string[] {
    const wrong: string[] = [];
    for (const [id, { store, at }] of this.acknowledged) {
      const later = this.#shown.filter(list => list.store === store && list.begun > at);
      const lacking = later.filter(({ ids }) => !ids.has(id));
      if (!lost.has(id)) wrong.push(...lacking.map(() => `a list of ${store} lacks ${id}, acknowledged before`));
      const goneAt = Math.min(...lacking.map(({ ended }) => ended));
      const back = lost.has(id) ? later.filter(({ begun, ids }) => begun > goneAt && ids.has(id)) : [];
      wrong.push(...back.map(() => `a list of ${store} shows ${id} again, which was lost`));
    }
    return wrong;
  }

  async #write(store: string): Promise<void> {
    for (let turn = 0; !this.#isOver; turn++) {
      const key = `${this.#mark}-${store}-${turn}`;
      const input = {
        ...{ storeId: store, idempotencyKey: key, customer: { name: key, phone: '' } },
        lines: [{ itemExternalId: 'soup', quantity: 1 }],
      };
      const body = JSON.stringify({ query: placeOrder, variables: { input } });
      for (let tries = turn; !this.#isOver; tries++) {
        const reply = await this.#send(true, () => this.#service.send(tries, '/graphql', { body }));
        const at = performance.now();
        await sleep(pauseMs);
        if (reply?.status !== 200) continue;
        const id: unknown = JSON.parse(reply.text).data?.placeOrder?.order.id;
        if (typeof id === 'string') this.acknowledged.set(id, { store, at });
        else this.problems.push(`placeOrder: ${reply.text.slice(0, 200)}`);
        break;
      }
    }
  }

  async #list(store: string): Promise<void> {
    const path = `/v1/stores/${store}/orders/?page_size=${pageSize}&customer_name=${this.#mark}-`;
    for (let turn = 0; !this.#isOver; turn++) {
      const begun = performance.now();
      const reply = await this.#send(false, () => this.#service.send(turn, path));
      if (reply?.status === 200) {
        const orders: readonly { readonly id: string }[] = JSON.parse(reply.text).order_result_list;
        this.#shown.push({ store, begun, ended: performance.now(), ids: new Set(orders.map(({ id }) => id)) });
      }
      await sleep(pauseMs);
    }
  }

  async #readMenu(store: string): Promise<void> {
    for (let turn = 0; !this.#isOver; turn++) {
      const reply = await this.#send(false, () => this.#service.read(turn, store));
      if (reply?.status === 200 && !reply.text.includes('Soup'))
        this.problems.push(`a menu: ${reply.text.slice(0, 200)}`);
      await sleep(pauseMs);
    }
  }

  async #send(isWrite: boolean, request: () => Promise<Reply>): Promise<Reply | undefined> {
    const begun = performance.now();
    const reply = await request().catch((error: Error) => {
      this.problems.push(`no response: ${error.cause ?? error.message}`);
      return undefined;
    });
    this.sent.push({ begun, ended: performance.now(), status: reply?.status ?? 0, isWrite });
    if (reply && reply.status !== 200 && !(reply.status === 503 && reply.retryAfter)) {
      this.problems.push(`${reply.status}, Retry-After ${reply.retryAfter}: ${reply.text.slice(0, 200)}`);
    }
    return reply;
  }
}
