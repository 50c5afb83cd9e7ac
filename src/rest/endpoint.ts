import type { FastifyRequest } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import type { AnswerCache } from '../answers/cache.ts';
import { chooseEncoding, type Encoding } from '../answers/encoding.ts';
import { compileArguments } from './arguments.ts';
import { type ConfiguredOperation, compileConfigured } from './configured.ts';
import { type Contract, type Operation, rootFieldOf } from './contract/contract.ts';
import { namesInPath } from './contract/parameters.ts';
import { Problem } from './errors.ts';
import { isNamed, tagOf, tagOfBody, tagOfForm } from './etag.ts';
import { compileRun, type Run, type Variables, valueAt } from './execution.ts';
import { compileShape } from './shape.ts';
import { Call, generateHandlers, type Send } from './sofa.ts';

export interface Answer {
  readonly status: 200 | 304;
  readonly tag: string | undefined;
  readonly body: string | Buffer | undefined;
  /** Where the body depends on Accept-Encoding: how it is encoded. */
  readonly encoding?: Encoding | 'identity';
}

/** An operation, ready to answer requests from callers who have been let in. */
export interface Endpoint {
  readonly operation: Operation;
  readonly answer: (request: FastifyRequest, createContext: () => unknown) => Promise<Answer>;
}

export function createEndpoints(contract: Contract, graph: GraphQLSchema, answers: AnswerCache): Endpoint[] {
  const handlerOf = generateHandlers(contract);
  return contract.operations.map(operation => {
    const { type } = rootFieldOf(contract, operation);
    const readArguments = compileArguments(operation, contract.operations);
    const probe = operation.probe && compileRun(graph, operation, operation.probe);
    const configured = compileConfigured(graph, operation, type);
    const make = configured
      ? answerConfigured(operation, configured, answers)
      : answerThroughSofa(operation, compileRun(graph, operation, operation.document), compileShape(type), handlerOf);
    const isRead = operation.route.method === 'GET';
    return {
      operation,
      async answer(request, createContext) {
        const variables = readArguments(request);
        const context = createContext();
        const known = isRead ? request.headers['if-none-match'] : undefined;
        const probed = probe && (known !== undefined || configured?.kept) ? await probe(variables, context) : undefined;
        const current = probed === undefined ? undefined : tagIn(operation, probed);
        if (known !== undefined && current !== undefined && isNamed(current, known)) return unchanged(current);
        const answer = await make({ variables, context, current, accepted: request.headers['accept-encoding'] });
        const same = known !== undefined && answer.tag !== undefined && isNamed(answer.tag, known);
        return same ? unchanged(answer.tag) : answer;
      },
    };
  });
}

const unchanged = (tag: string | undefined): Answer => ({ status: 304, tag, body: undefined });

interface Asked {
  readonly variables: Variables;
  readonly context: unknown;
  /** The tag that holds, where it was looked up. */
  readonly current: string | undefined;
  readonly accepted: string | undefined;
}

type Make = (asked: Asked) => Promise<Answer>;

function answerThroughSofa(
  operation: Operation,
  run: Run,
  shape: (value: unknown) => unknown,
  handlerOf: (operation: Operation) => Send,
): Make {
  const send = handlerOf(operation);
  const isRead = operation.route.method === 'GET';
  return async ({ variables, context }) => {
    let data: unknown;
    const body = await send(
      variables,
      new Call(operation, async checked => {
        data = await run(checked, context);
        return shape(valueAt(data, operation.body) ?? absent(operation));
      }),
    );
    return { status: 200, tag: tagIn(operation, data) ?? (isRead ? tagOfBody(body) : undefined), body };
  };
}

/** Bodies that are written from a store's configuration alone; for reads they are kept as long as the tag holds. */
function answerConfigured(operation: Operation, { kept, run }: ConfiguredOperation, answers: AnswerCache): Make {
  const write = async ({ variables, context }: Asked) => {
    const body = (await run({ variables, context })) ?? absent(operation);
    return { revision: tagOf(body.tagValues, operation.hash), bytes: body.bytes };
  };
  return async asked => {
    const { current, accepted, variables } = asked;
    if (!kept || current === undefined) {
      const { revision: tag, bytes: body } = await write(asked);
      return { status: 200, tag, body };
    }
    const answer = await answers.get(`${operation.name} ${JSON.stringify(variables)}`, current, () => write(asked));
    const encoding = chooseEncoding(accepted, answer.bytes.length);
    const body = encoding ? await answer.encoded(encoding) : answer.bytes;
    return { status: 200, tag: tagOfForm(answer.revision, encoding), body, encoding: encoding ?? 'identity' };
  };
}

function tagIn(operation: Operation, data: unknown): string | undefined {
  if (operation.etags.length === 0) return undefined;
  const values = operation.etags.map(keys => valueAt(data, keys) ?? absent(operation));
  return tagOf(values, operation.hash);
}

/** In the same words for what does not exist and for what the key does not reach. */
function absent({ route }: Operation): never {
  const names = namesInPath(route.path).join(', ');
  throw new Problem(404, `Nothing with this ${names} is within the reach of the API key.`);
}
