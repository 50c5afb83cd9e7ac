import {
  createSourceEventStream,
  type DocumentNode,
  type ExecutionResult,
  execute,
  type FormattedExecutionResult,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  Kind,
} from 'graphql';
import { retryWhileUnavailable } from '../../database/availability.ts';
import { toUnavailable } from '../../database/errors.ts';
import { currentRequest } from '../../database/statements.ts';
import { StreamCut, Unauthenticated } from '../../errors.ts';
import { cursorOf, type StreamField } from '../../events/cursor.ts';
import type { Event } from '../../events/entities.ts';
import { createEventSource, type EventSourceOptions } from '../../events/source.ts';
import { type ContextDependencies, createContext } from '../context.ts';
import type { FormatErrors } from '../errors.ts';
import { responseTooLarge } from '../response-limit.ts';
import { type OpenStream, ShuttingDown, type StreamEnd } from './open-streams.ts';

export interface SubscribeOptions {
  readonly schema: GraphQLSchema;
  readonly dependencies: ContextDependencies;
  readonly events: EventSourceOptions;
  readonly formatErrors: FormatErrors;
  readonly onDelivered: () => void;
}

/** A validated subscription. */
export interface SubscriptionRequest {
  readonly document: DocumentNode;
  readonly operationName: string | undefined;
  readonly variables: Readonly<Record<string, unknown>>;
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

/**
 * Creates the execution of subscriptions. As graphql-js's `subscribe`, but each event has a context of its own, whose loaders read afresh and in
 * the scope that the key has by then; errors are formatted as for queries, and one that ends the stream is its last result.
 */
export function createSubscribe(options: SubscribeOptions) {
  const { schema, dependencies, formatErrors } = options;

  return async (request: SubscriptionRequest, stream: OpenStream): Promise<Results> => {
    stream.field = rootFieldOf(request);
    // Statements of a request have a time limit, and so have those of a stream.
    const inRequest = <T>(run: () => T) => currentRequest.run({ statements: 0, trace: undefined }, run);
    const { document, operationName, variables } = request;
    const args = { schema, document, operationName, variableValues: variables };
    const open = () => createSourceEventStream({ ...args, contextValue: sourceContext(request, stream) });
    const executeEvent = async (event: Event): Promise<FormattedExecutionResult> => {
      const run = () => execute({ ...args, rootValue: event, contextValue: createContext(dependencies, stream.scope) });
      const result = await retryWhileUnavailable(
        () => inRequest(async () => throwUnavailable(await run())),
        stream.signal,
      );
      return format(result);
    };

    const source = await inRequest(open);
    return returningAtOnce(deliver(), () => {
      stream.abort(new ClientGone());
      stream.close('closed by the client');
    });

    async function* deliver(): Results {
      let end: StreamEnd = 'closed by the client';
      try {
        if (!isStream(source)) throw new NotOpened((source as ExecutionResult).errors ?? []);
        for await (const event of source) {
          const result = await executeEvent(event);
          stream.signal.throwIfAborted();
          stream.events += 1;
          options.onDelivered();
          yield { result, cursor: cursorOf(stream.field as StreamField, event) };
        }
        stream.signal.throwIfAborted();
        return 'complete';
      } catch (thrown) {
        // Whatever fails after the stream was aborted fails for that reason.
        const error: unknown = stream.signal.aborted ? stream.signal.reason : thrown;
        end = endOf(error);
        if (error instanceof ShuttingDown) return 'interrupted';
        if (!(error instanceof ClientGone)) yield { result: { errors: formatErrors(errorsOf(error)) } };
        return 'complete';
      } finally {
        stream.close(end);
      }
    }
  };

  function sourceContext({ lastEventId }: SubscriptionRequest, stream: OpenStream) {
    const context = createContext(dependencies, stream.scope);
    const subscriber = {
      get scope() {
        return stream.scope;
      },
      signal: stream.signal,
      lastEventId,
      loadStore: (storeId: string) => createContext(dependencies, stream.scope).loaders.stores.byId.load(storeId),
    };
    return { ...context, eventSource: createEventSource(options.events, subscriber) };
  }

  function format({ data, errors }: ExecutionResult): FormattedExecutionResult {
    if (!errors) return { data: data ?? null };
    const isTooLarge = errors.some(({ extensions }) => extensions.code === responseTooLarge);
    return { errors: formatErrors(errors), data: isTooLarge ? null : (data ?? null) };
  }
}

/** The errors of a subscription that has no stream. */
class NotOpened extends Error {
  readonly errors: readonly GraphQLError[];
  constructor(errors: readonly GraphQLError[]) {
    super();
    this.errors = errors;
  }
}

/** The client has closed the stream. */
export class ClientGone extends Error {}

function rootFieldOf({ document, operationName }: SubscriptionRequest): string {
  const [root] = getOperationAST(document, operationName)?.selectionSet.selections ?? [];
  return root?.kind === Kind.FIELD ? root.name.value : 'unknown';
}

/** The streams of this schema are of events. */
function isStream(source: AsyncIterable<unknown> | ExecutionResult): source is AsyncIterable<Event> {
  return Symbol.asyncIterator in source;
}

/** An event that could not be resolved without the database is not delivered in part, but resolved again. */
function throwUnavailable(result: ExecutionResult): ExecutionResult {
  for (const { originalError } of result.errors ?? []) if (toUnavailable(originalError)) throw originalError;
  return result;
}

function errorsOf(error: unknown): readonly GraphQLError[] {
  if (error instanceof NotOpened) return error.errors;
  return [error instanceof GraphQLError ? error : new GraphQLError(String(error), { originalError: error as Error })];
}

function endOf(error: unknown): StreamEnd {
  if (error instanceof ClientGone) return 'closed by the client';
  if (error instanceof ShuttingDown) return 'shutdown';
  if (error instanceof Unauthenticated) return 'key no longer valid';
  return error instanceof StreamCut ? 'reader too slow' : 'error';
}

/** Lets `return` take effect while a `next` is pending, for which a generator would wait. */
function returningAtOnce(results: Results, abort: () => void): Results {
  const { return: end } = results;
  return Object.assign(results, {
    return(value: Completion) {
      abort();
      return end.call(results, value);
    },
  });
}
