import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { OperatorError } from '@carte/base/errors';

/** Throws if the port is in use, before the database is opened. */
export async function assertPortFree(host: string, port: number): Promise<void> {
  const probe = createServer();
  await listen(probe, host, port);
  await new Promise(resolve => probe.close(resolve));
}

export async function listen(server: Server, host: string, port: number): Promise<void> {
  server.listen({ host, port });
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    const reasons: Readonly<Record<string, string>> = {
      EADDRINUSE: `Port ${port} on ${host} is in use; set PORT to another one.`,
      EACCES: `Port ${port} is reserved for the administrator; set PORT to one above 1023.`,
    };
    const reason = reasons[error.code ?? ''] ?? `Cannot listen on ${host}:${port}: ${error.message}`;
    throw new OperatorError(reason, { cause: error });
  });
}
