import { createServer } from 'node:net';
import { OperatorError } from '@carte/base/errors';

/** Throws if the port is in use, before the database is opened. */
export async function assertPortFree(host: string, port: number): Promise<void> {
  const probe = createServer();
  await new Promise<void>((resolve, reject) => {
    probe.once('error', (error: NodeJS.ErrnoException) => reject(cannotListen(error, host, port)));
    probe.listen({ host, port }, () => probe.close(() => resolve()));
  });
}

export function cannotListen(error: NodeJS.ErrnoException, host: string, port: number): OperatorError {
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: `Port ${port} on ${host} is in use; set PORT to another one.`,
    EACCES: `Port ${port} is reserved for the administrator; set PORT to one above 1023.`,
  };
  const reason = reasons[error.code ?? ''] ?? `Cannot listen on ${host}:${port}: ${error.message}`;
  return new OperatorError(reason, { cause: error });
}
