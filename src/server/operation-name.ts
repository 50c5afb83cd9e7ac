import type { FastifyRequest } from 'fastify';

const name = /^[_A-Za-z]\w{0,63}$/;
const firstOperation = /\b(?:query|mutation|subscription)\s+([_A-Za-z]\w{0,63})\b/;
const anonymous = 'anonymous';

/** The operation of schema/rest behind the route; undefined where there is none. */
export function restOperation({ routeOptions: { config } }: FastifyRequest): string | undefined {
  return 'operation' in config && typeof config.operation === 'string' ? config.operation : undefined;
}

/** What a caller of /graphql calls its operation: as told beside the document, or else in its first lines. */
export function graphqlOperation({ method, body, query }: FastifyRequest): string {
  const sent = method === 'GET' ? query : body;
  if (typeof sent !== 'object' || sent === null) return anonymous;
  const told: unknown = Reflect.get(sent, 'operationName');
  if (typeof told === 'string' && name.test(told)) return told;
  const document: unknown = Reflect.get(sent, 'query');
  return (typeof document === 'string' && firstOperation.exec(document.slice(0, 2_000))?.[1]) || anonymous;
}
