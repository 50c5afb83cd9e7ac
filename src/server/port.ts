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
  return new OperatorError(reasonOf(error, host, port), { cause: error });
}

function reasonOf(error: NodeJS.ErrnoException, host: string, port: number): string {
  if (error.code === 'EADDRINUSE') return `Port ${port} on ${host} is in use; set PORT to another one.`;
  if (error.code === 'EACCES') return `Port ${port} is reserved for the administrator; set PORT to one above 1023.`;
  return `Cannot listen on ${host}:${port}: ${error.message}`;
}
