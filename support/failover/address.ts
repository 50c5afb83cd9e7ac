import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A port, or what becomes of new connections. */
type Target = number | 'refuse' | 'silent';

interface Session {
  readonly client: Socket;
  readonly server: Socket;
}

/**
 * The address under which the primary is found: a TCP load balancer that can cut sessions, leave them open without passing
 * anything on, and send new ones elsewhere. `refuse` closes new connections, as a balancer without a
 * healthy server does; `silent` accepts them and says nothing, as a host that is gone.
 */
export class Address {
  readonly port: number;
  readonly #sessions = new Set<Session>();
  readonly #stop: () => void;
  #target: Target = 'refuse';

  private constructor(port: number, stop: () => void) {
    this.port = port;
    this.#stop = stop;
  }

  static async open(target: number): Promise<Address> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const listening = server.address();
    const address = new Address(typeof listening === 'object' && listening ? listening.port : 0, () => server.close());
    address.#target = target;
    server.on('connection', client => address.#accept(client));
    return address;
  }

  get url(): string {
    return `postgresql://postgres@127.0.0.1:${this.port}/carte`;
  }

  /** Where new connections go. */
  moveTo(target: Target): void {
    this.#target = target;
  }

  cutSessions(): void {
    for (const { client, server } of this.#sessions) {
      client.destroy();
      server.destroy();
    }
  }

  /** From now on the open sessions pass nothing on, and neither side is told. */
  silenceSessions(): void {
    for (const { client, server } of this.#sessions) {
      client.unpipe(server).pause();
      server.unpipe(client).pause();
      // What the server's end says is not passed on either.
      server.removeAllListeners('close');
    }
  }

  close(): void {
    this.#stop();
    this.cutSessions();
  }

  #accept(client: Socket): void {
    client.on('error', () => {});
    if (this.#target === 'refuse') return void client.destroy();
    if (this.#target === 'silent') return;
    const server = connect(this.#target, '127.0.0.1');
    const session = { client, server };
    this.#sessions.add(session);
    server.on('error', () => {});
    client.on('close', () => {
      this.#sessions.delete(session);
      server.destroy();
    });
    server.on('close', () => client.destroy());
    client.pipe(server);
    server.pipe(client);
  }
}
