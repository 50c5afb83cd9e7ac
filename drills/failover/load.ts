import { setTimeout as sleep } from 'node:timers/promises';
import { markIn, type Reply, type Service } from './service.ts';

interface Sent {
  readonly begun: number;
  readonly ended: number;
  readonly status: number | undefined;
}

const numberIn = (mark: string | undefined): number => Number(mark?.split('-')[1] ?? 0);

/** Writers, each on a store of its own, and readers of all stores, through both processes. */
export class Load {
  readonly problems: string[] = [];
  readonly sent: Sent[] = [];
  /** The number of the last write of each store that was acknowledged. */
  readonly acknowledged = new Map<string, number>();
  readonly #service: Service;
  readonly #loops: Promise<void>[];
  #isOver = false;

  constructor(service: Service, stores: readonly string[]) {
    this.#service = service;
    this.#loops = stores.flatMap((store, at) => [this.#write(store, at), this.#read(store)]);
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#loops);
  }

  /** What each store shows now, beside what was acknowledged. */
  async lostWrites(): Promise<string[]> {
    const lost: string[] = [];
    for (const [store, number] of this.acknowledged) {
      for (let process = 0; process < this.#service.size; process++) {
        const shown = numberIn(markIn((await this.#service.read(process, store)).text));
        if (shown < number) lost.push(`${store}: write ${number} was acknowledged, process ${process} shows ${shown}`);
      }
    }
    return lost;
  }

  firstSuccessAfter(time: number): number | undefined {
    return this.sent.find(({ begun, status }) => status === 200 && begun >= time)?.ended;
  }

  async #write(store: string, writer: number): Promise<void> {
    for (let number = 1; !this.#isOver; number++) {
      const reply = await this.#send(() => this.#service.post(number, store, `w${writer}-${number}`));
      if (reply?.status === 200) this.acknowledged.set(store, number);
      else await sleep(20);
    }
  }

  async #read(store: string): Promise<void> {
    for (let turn = 0; !this.#isOver; turn++) {
      const least = this.acknowledged.get(store) ?? 0;
      const reply = await this.#send(() => this.#service.read(turn, store));
      const shown = numberIn(markIn(reply?.text ?? ''));
      if (reply?.status === 200 && shown < least) {
        this.problems.push(`${store}: a read showed ${shown} after ${least} was acknowledged`);
      }
      await sleep(reply?.status === 200 ? 5 : 20);
    }
  }

  async #send(request: () => Promise<Reply>): Promise<Reply | undefined> {
    const begun = performance.now();
    const reply = await request().catch((error: Error) => {
      this.problems.push(`a request failed: ${error.cause ?? error.message}`);
      return undefined;
    });
    this.sent.push({ begun, ended: performance.now(), status: reply?.status });
    if (reply && reply.status !== 200 && !(reply.status === 503 && reply.retryAfter)) {
      this.problems.push(`${reply.status}, Retry-After ${reply.retryAfter}: ${reply.text.slice(0, 200)}`);
    }
    return reply;
  }
}
