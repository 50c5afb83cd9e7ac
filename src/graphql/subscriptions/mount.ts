import type { IncomingMessage } from 'node:http';
import { Unauthenticated } from '@carte/base/errors';
import { defaultQueryLimits, type QueryLimits } from '@carte/operations/limits/limits';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { GraphQLError } from 'graphql';
import type { Share } from '../../scheduling/current-request.ts';
import type { AccessScope, Caller } from '../../scope.ts';
import { createFormatErrors, locate, type TranslateError, withoutTokens } from '../errors.ts';
import type { ValidatedRequest } from '../request-validation.ts';
import { createDeliveryBudget, type DeliveryBudgetOptions } from './delivery-budget.ts';
import type { OpenStreams } from './open-streams.ts';
import { acceptsEventStream, sendEventStream } from './sse.ts';
import {
  ClientGone,
  createSubscribe,
  type Results,
  type SubscribeOptions,
  type SubscriptionRequest,
} from './subscribe.ts';
import { mountWebSocket, type WebSocketOptions } from './websocket.ts';

export interface SubscriptionOptions
  extends Pick<SubscribeOptions, 'events' | 'runInTurn' | 'onDelivered'>,
    Pick<WebSocketOptions, 'authenticateKey' | 'addressOf' | 'isAllowedOrigin'>,
    Pick<DeliveryBudgetOptions, 'countRequest'> {
  readonly limits: Pick<DeliveryBudgetOptions, 'costPerSecond'> & { readonly perKey: number };
  readonly streams: OpenStreams;
  readonly shareOf: (caller: Caller, request: IncomingMessage) => Share;
  /** Called when the response to a request is a stream. */
  readonly onStreaming: (request: FastifyRequest) => void;
  /** Takes the function that ends all streams. */
  readonly onShutdown: (endStreams: () => void) => void;
}

interface Graph extends Pick<SubscribeOptions, 'schema' | 'dependencies' | 'checkReadable' | 'coerceVariables'> {
  readonly validateRequest: (parameters: unknown, scope: AccessScope) => ValidatedRequest;
  readonly translateError: TranslateError;
  readonly limits: Partial<QueryLimits>;
}

/** For so long a client may read the end of its stream. One that reads nothing must not hold up a shutdown. */
const endMs = 1_000;

/** Serves subscriptions: over WebSocket by itself, over Server-Sent Events in requests that the endpoint hands over. */
export function mountSubscriptions(app: FastifyInstance, graph: Graph, options: SubscriptionOptions) {
  const { schema, validateRequest, checkReadable, translateError } = graph;
  const { limits, streams, countRequest, shareOf } = options;
  const formatErrors = createFormatErrors(translateError, error => app.log.error(error));
  const subscribe = createSubscribe({
    ...graph,
    ...options,
    formatErrors,
    maxCost: graph.limits.streamCost ?? defaultQueryLimits.streamCost,
    budget: createDeliveryBudget({ costPerSecond: limits.costPerSecond, countRequest }),
  });
  const closeSockets = mountWebSocket(app, {
    ...options,
    schema,
    validate(parameters, { scope }) {
      const { errors, parsed, operation, variables = {}, cost = 0 } = validateRequest(parameters, scope);
      if (errors.length > 0) return errors;
      const unreadable = parsed ? checkReadable({ document: parsed.document, operation }, scope) : [];
      if (unreadable.length > 0) return unreadable.map(locate);
      if (!parsed || operation?.operation !== 'subscription') return [onlySubscriptions()];
      return { document: parsed.document, operationName: operation.name?.value, variables, cost };
    },
    open: (key, caller, request) => streams.open(key, caller, 'websocket', shareOf(caller, request)),
    subscribe,
    formatErrors,
    translateError,
    maxStreams: limits.perKey,
  });
  options.onShutdown(() => {
    closeSockets();
    streams.close();
  });

  return {
    /** Sends the events of a subscription, as long as the client listens. */
    async send(request: FastifyRequest, reply: FastifyReply, subscription: SubscriptionRequest): Promise<FastifyReply> {
      const { caller } = request;
      const key = request.headers['x-api-key'];
      if (!caller || typeof key !== 'string')
        throw new Unauthenticated('An API key is needed in the header x-api-key.');
      if (!acceptsEventStream(request)) return sendNotAcceptable(reply);
      const stream = streams.open(key, caller, 'sse', shareOf(caller, request.raw));
      reply.raw.once('close', () => stream.abort(new ClientGone()));
      stream.signal.addEventListener('abort', () => setTimeout(() => reply.raw.destroy(), endMs).unref());
      const lastEventId = request.headers['last-event-id'];
      const resumed =
        typeof lastEventId === 'string' && lastEventId !== '' ? { ...subscription, lastEventId } : subscription;
      const results = await subscribe(resumed, stream);
      options.onStreaming(request);
      return sendEventStream(reply, results);
    },
    /** Sends errors of a request to a client that takes nothing but events. */
    sendErrors: (_request: FastifyRequest, reply: FastifyReply, errors: readonly GraphQLError[]) =>
      sendEventStream(reply, resultOf(errors)),
  };
}

async function* resultOf(errors: readonly GraphQLError[]): Results {
  yield { result: { errors: withoutTokens(errors.map(error => error.toJSON())) } };
  return 'complete';
}

/** Other operations have one way to be executed, with its caches, limits and metrics. */
function onlySubscriptions(): GraphQLError {
  const message = 'Only subscriptions are executed over WebSocket; send queries and mutations by POST.';
  return new GraphQLError(message, { extensions: { code: 'BAD_REQUEST' } });
}

function sendNotAcceptable(reply: FastifyReply): FastifyReply {
  const message = 'A subscription needs the header "accept: text/event-stream", or a WebSocket.';
  return reply.code(406).send({ errors: [{ message, extensions: { code: 'NOT_ACCEPTABLE' } }] });
}
