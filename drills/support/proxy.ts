import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Forwards each connection to the port of that moment, until the network is cut. */
export async function startProxy(port: () => number) {
  const sockets = new Set<Socket>();
  let state: 'open' | 'frozen' | 'cut' = 'open';
  const add = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
  };
  const server = createServer(client => {
    add(client);
    if (state === 'cut') return client.destroy();
    if (state === 'frozen') return client.pause();
    const upstream = connect(port(), '127.0.0.1');
    add(upstream);
    client.pipe(upstream).pipe(client);
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const closeAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Forwards nothing, but leaves connections open and accepts others, as a network does that is cut without a sign. */
    freeze(): void {
      state = 'frozen';
      for (const socket of sockets) socket.pause();
    },
    /** Closes all connections, and refuses others. */
    cut(): void {
      state = 'cut';
      closeAll();
    },
    restore(): void {
      state = 'open';
      closeAll();
    },
    close(): void {
      server.close();
      closeAll();
    },
  };
}
