import { setImmediate as nextTurn } from 'node:timers/promises';
import { StreamCut, Unauthenticated, Unavailable } from '@carte/base/errors';
import {
  createSourceEventStream,
  type DocumentNode,
  type ExecutionResult,
  execute,
  type FormattedExecutionResult,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
} from 'graphql';
import { retryWhileUnavailable, toUnavailable } from '../../database/errors.ts';
import type { StreamField } from '../../events/cursor.ts';
import { createEventSource, type EventSourceOptions } from '../../events/source.ts';
import type { StreamedEvent } from '../../events/stream.ts';
import { currentRequest, type Share } from '../../scheduling/current-request.ts';
import { untilAborted } from '../../scheduling/until-aborted.ts';
import { type CheckReadable, throwForbidden } from '../authorization.ts';
import { type ContextDependencies, createContext } from '../context.ts';
import type { FormatErrors } from '../errors.ts';
import { countedObjects, responseTooLarge } from '../response-limit.ts';
import type { CoerceVariables } from '../variables.ts';
import type { DeliveryBudget } from './delivery-budget.ts';
import { type OpenStream, ShuttingDown, type StreamEnd } from './open-streams.ts';

export interface SubscribeOptions {
  readonly schema: GraphQLSchema;
  readonly dependencies: ContextDependencies;
  readonly events: EventSourceOptions;
  readonly formatErrors: FormatErrors;
  readonly checkReadable: CheckReadable;
  readonly coerceVariables: CoerceVariables;
  /** The cost that one event may have. */
  readonly maxCost: number;
  readonly budget: DeliveryBudget;
  /** Runs a missed event, or one with an expensive selection, when it is the turn of its key. */
  readonly runInTurn: <T>(queue: 'replay' | 'expensive', share: Share, task: () => Promise<T>) => Promise<T>;
  readonly onDelivered: () => void;
}

/** A validated subscription. */
export interface SubscriptionRequest {
  readonly document: DocumentNode;
  readonly operationName: string | undefined;
  readonly variables: Readonly<Record<string, unknown>>;
  /** The cost of its selection, for each event. */
  readonly cost: number;
  /** The cursor after which an interrupted stream goes on. */
  readonly lastEventId?: string | undefined;
}

export interface StreamResult {
  readonly result: FormattedExecutionResult;
  /** The cursor of the event; absent for an error that ends the stream. */
  readonly cursor?: string;
}

/** Whether the stream is complete; if not, its client is to connect again. */
export type Completion = 'complete' | 'interrupted';

export type Results = AsyncGenerator<StreamResult, Completion>;

/** Each event costs so much beside its selection: some 0.3 ms of CPU, as 100 objects do. */
const costPerEvent = 100;
/** A selection that costs more, such as one with a menu, is executed in the turn of its key also for live events. */
const expensiveCost = 500;
/**
 * Such a selection is charged for the time that it takes, since that depends on the size of the menu: at 50,000 a second a key gets a quarter
 * of it. Time beyond a second is that of the database.
 */
const costPerMs = 200;
const maxChargedMs = 1_000;
/** For so long a stream waits to be opened while the database is unavailable. */
export const openTimeoutMs = 5_000;

/**
 * Creates the execution of subscriptions. As graphql-js's `subscribe`, but each event has a context of its own, whose loaders read afresh and in
 * the scope that the key has by then; errors are formatted as for queries, and one that ends the stream is its last result.
 */
export function createSubscribe(options: SubscribeOptions) {
  const { schema, dependencies, formatErrors, budget, runInTurn } = options;
  const eventDependencies = { ...dependencies, maxCost: options.maxCost };

  return async (request: SubscriptionRequest, stream: OpenStream): Promise<Results> => {
    const { share } = stream;
    // Statements of a request have a time limit, and so have those of a stream.
    const inRequest = <T>(run: () => T) =>
      currentRequest.run({ statements: 0, trace: undefined, share, isForGuests: share.isGuest }, run);
    const { document, operationName, variables } = request;
    const isExpensive = request.cost > expensiveCost;
    const args = { schema, document, operationName, variableValues: variables };
    const open = async () => {
      const coercion = await options.coerceVariables(getOperationAST(document, operationName), variables, document);
      if ('errors' in coercion) return coercion;
      return createSourceEventStream({ ...args, contextValue: sourceContext(request, stream) });
    };
    const source = await openSource(() => inRequest(open) as Promise<Source>, stream);
    const results = deliver();
    const { return: endResults } = results;
    return Object.assign(results, {
      // Takes effect while a `next` is pending, for which a generator would wait.
      return(value: Completion) {
        stream.abort(new ClientGone());
        stream.close('closed by the client');
        return endResults.call(results, value);
      },
    });

    async function* deliver(): Results {
      let end: StreamEnd = 'closed by the client';
      try {
        if (!isStream(source)) {
          stream.signal.throwIfAborted();
          end = 'error';
          yield { result: { errors: formatErrors(source.errors ?? []) } };
          return 'complete';
        }
        for await (const event of readWithin(inRequest, source)) {
          const result = await stream.hold(() => deliverEvent(event));
          stream.signal.throwIfAborted();
          stream.events += 1;
          options.onDelivered();
          yield { result, cursor: await options.events.cursors.ofEvent(stream.field as StreamField, event) };
        }
        stream.signal.throwIfAborted();
        return 'complete';
      } catch (thrown) {
        // Whatever fails after the stream was aborted fails for that reason.
        const error: unknown = stream.signal.aborted ? stream.signal.reason : thrown;
        end = endOf(error);
        // An outage has lasted too long: `complete` would be final, although the client can go on with its cursor.
        if (error instanceof ShuttingDown || toUnavailable(error)) return 'interrupted';
        if (!(error instanceof ClientGone)) yield { result: { errors: formatErrors([toGraphQLError(error)]) } };
        return 'complete';
      } finally {
        stream.close(end);
      }
    }

    /** Executes the selection when the key may deliver another event. */
    async function deliverEvent(event: StreamedEvent): Promise<FormattedExecutionResult> {
      const { signal } = stream;
      const { isReplayed } = event;
      await budget.pay(share, costPerEvent + request.cost, { isReplayed, signal });
      const attempt = async () => {
        // So that other work of the process comes between two events.
        await nextTurn();
        signal.throwIfAborted();
        return inRequest(() => executeEvent(event));
      };
      const queue = isExpensive ? 'expensive' : isReplayed ? 'replay' : undefined;
      const run = () => (queue ? untilAborted(signal, runInTurn(queue, share, attempt)) : attempt());
      return format(await retryWhileUnavailable(run, signal));
    }

    async function executeEvent(event: StreamedEvent): Promise<ExecutionResult> {
      const begun = performance.now();
      // The key may have lost a permission since the stream was opened.
      throwForbidden(options.checkReadable({ document }, stream.scope));
      const contextValue = createContext(eventDependencies, stream.scope, { cost: request.cost });
      const result = throwUnavailable(await execute({ ...args, rootValue: event, contextValue }));
      const objects = countedObjects(contextValue);
      const spent = isExpensive ? Math.min(performance.now() - begun, maxChargedMs) * costPerMs : 0;
      // What the selection does not tell: the length of lists, and the size of what was loaded.
      budget.charge(share, Math.max(objects, contextValue.budget.cost, spent) - request.cost);
      return result;
    }
  };

  function sourceContext({ lastEventId }: SubscriptionRequest, stream: OpenStream) {
    const newLoaders = () => createContext(dependencies, stream.scope).loaders;
    const loadStore = (storeId: string) => newLoaders().stores.byId.load(storeId);
    const loadGuestOrder = (token: string) => newLoaders().guestOrders.load(token);
    const eventSource = createEventSource({ ...options.events, lastEventId, loadStore, loadGuestOrder }, stream);
    return { ...createContext(dependencies, stream.scope), eventSource };
  }

  function format({ data, errors }: ExecutionResult): FormattedExecutionResult {
    if (!errors) return { data: data ?? null };
    const isTooLarge = errors.some(({ extensions }) => extensions.code === responseTooLarge);
    return { errors: formatErrors(errors), data: isTooLarge ? null : (data ?? null) };
  }
}

/** The client has closed the stream. */
export class ClientGone extends Error {}

/** A newer request waits for the same events. */
export class Replaced extends Error {}

/** The streams of this schema are of events. */
type Source = AsyncIterable<StreamedEvent> | ExecutionResult;

function isStream(source: Source): source is AsyncIterable<StreamedEvent> {
  return Symbol.asyncIterator in source;
}

/** Opens the source of a stream; throws `Unavailable` if the database is so for too long. */
async function openSource(open: () => Promise<Source>, stream: OpenStream): Promise<Source> {
  const { signal } = stream;
  const giveUp = () => stream.abort(new Unavailable('The database does not answer at the moment.'));
  const timer = setTimeout(giveUp, openTimeoutMs);
  const attempt = async () => {
    const source = await open();
    return isStream(source) ? source : throwUnavailable(source);
  };
  try {
    return await untilAborted(signal, retryWhileUnavailable(attempt, signal, openTimeoutMs));
  } catch (thrown) {
    const error: unknown = signal.aborted ? signal.reason : thrown;
    // The client has left, or the process shuts down: there is nothing to report.
    if (signal.aborted && !toUnavailable(error)) return { errors: [] };
    stream.close('error');
    throw toUnavailable(error) ?? error;
  } finally {
    clearTimeout(timer);
  }
}

/** Reads a source as part of a request, so that its statements have a time limit and a key. */
async function* readWithin(
  inRequest: <T>(run: () => T) => T,
  source: AsyncIterable<StreamedEvent>,
): AsyncGenerator<StreamedEvent> {
  const iterator = source[Symbol.asyncIterator]();
  const next = () => inRequest(() => iterator.next());
  try {
    for (let { done, value } = await next(); !done; { done, value } = await next()) yield value;
  } finally {
    await iterator.return?.();
  }
}

/** An event that could not be resolved without the database is not delivered in part, but resolved again. */
function throwUnavailable(result: ExecutionResult): ExecutionResult {
  for (const { originalError } of result.errors ?? []) if (toUnavailable(originalError)) throw originalError;
  return result;
}

function toGraphQLError(error: unknown): GraphQLError {
  return error instanceof GraphQLError ? error : new GraphQLError(String(error), { originalError: error as Error });
}

export function endOf(error: unknown): StreamEnd {
  if (error instanceof ClientGone) return 'closed by the client';
  if (error instanceof Replaced) return 'replaced';
  if (error instanceof ShuttingDown) return 'shutdown';
  if (error instanceof Unauthenticated) return 'key no longer valid';
  return error instanceof StreamCut ? 'reader too slow' : 'error';
}
