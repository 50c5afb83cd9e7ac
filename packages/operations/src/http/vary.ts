import type { FastifyReply } from 'fastify';

/** Adds names of request headers that the response depends on to those that `Vary` has already, such as `Origin` by CORS. */
export function addVary(reply: FastifyReply, names: string): FastifyReply {
  const known = reply.getHeader('vary');
  return reply.header('vary', known === undefined ? names : `${known}, ${names}`);
}
