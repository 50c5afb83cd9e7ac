import { connect } from 'node:net';
import pg from 'pg';

const cancelRequest = 80_877_102;
const patience = 2_000;

/**
 * Has the server give up what the client waits for: it is asked on a second connection, as the protocol has it, which
 * works through PgBouncer too and leaves nothing behind in a session. If nothing comes of that, the connection is cut.
 * Answers what to call when the client waits no longer: the request may arrive late, so the connection is given up then.
 */
export function cancelStatement(client: unknown): () => void {
  if (!(client instanceof pg.Client)) return () => {};
  askServer(client);
  // Ends in good order when nothing is waited for, and by a cut when something is.
  const end = () => {
    clearTimeout(timer);
    void client.end();
  };
  const timer = setTimeout(end, patience);
  return end;
}

function askServer(client: pg.Client): void {
  const message = messageFor(client);
  if (!message) return;
  const { host, port } = client;
  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
  // A server that cannot be reached any more is left to the cut.
  socket.on('error', () => {}).setTimeout(patience, () => socket.destroy());
  // The server hangs up when it has done as asked. A PgBouncer before 1.20 ends for good when the caller is first to.
  socket.resume().write(message);
}

/** `pg` keeps the two numbers that name the session, but does not document them. */
function messageFor(client: pg.Client): Buffer | undefined {
  const [process, secret]: unknown[] = [Reflect.get(client, 'processID'), Reflect.get(client, 'secretKey')];
  if (typeof process !== 'number' || typeof secret !== 'number') return undefined;
  const message = Buffer.alloc(16);
  for (const [index, number] of [message.length, cancelRequest, process, secret].entries()) {
    message.writeInt32BE(number, index * 4);
  }
  return message;
}
