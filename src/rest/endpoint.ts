import type { FastifyRequest } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import type { AnswerCache } from '../answers/cache.ts';
import { chooseEncoding, type Encoding } from '../answers/encoding.ts';
import { fragmentsOf, operationOf } from '../answers/fields.ts';
import { type ReadStamp, type Stamp, storeRootOf } from '../answers/stamped.ts';
import { Shared } from '../sharing.ts';
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
export interface Endpoint<Caller> {
  readonly operation: Operation;
  readonly answer: (request: FastifyRequest, caller: Caller) => Promise<Answer>;
}

export interface EndpointOptions<Caller extends object> {
  readonly schema: GraphQLSchema;
  readonly answers: AnswerCache;
  readonly createContext: (caller: Caller) => unknown;
  readonly readStamp: ReadStamp<Caller>;
}

export function createEndpoints<Caller extends object>(
  contract: Contract,
  options: EndpointOptions<Caller>,
): Endpoint<Caller>[] {
  const { schema: graph, answers, createContext, readStamp } = options;
  const handlerOf = generateHandlers(contract);
  return contract.operations.map(operation => {
    const { type } = rootFieldOf(contract, operation);
    const readArguments = compileArguments(operation, contract.operations);
    const stamped = compileStamped(graph, operation);
    const configured = compileConfigured(graph, operation, type);
    const make = configured
      ? answerConfigured(operation, configured, answers)
      : answerThroughSofa(operation, compileRun(graph, operation, operation.document), compileShape(type), handlerOf);
    const isRead = operation.route.method === 'GET';
    const shared = shareAnswers<Caller>();
    return {
      operation,
      async answer(request, caller) {
        const variables = readArguments(request);
        const known = isRead ? request.headers['if-none-match'] : undefined;
        const current =
          stamped && (known !== undefined || configured?.kept)
            ? stamped.tagIn((await readStamp(caller, stamped.storeIdOf(variables))) ?? absent(operation))
            : undefined;
        if (known !== undefined && current !== undefined && isNamed(current, known)) return unchanged(current);
        const accepted = request.headers['accept-encoding'];
        const asked = { variables, current, accepted, createContext: () => createContext(caller) };
        const answer = await (isRead && !configured ? shared(caller, variables, () => make(asked)) : make(asked));
        const same = known !== undefined && answer.tag !== undefined && isNamed(answer.tag, known);
        return same ? unchanged(answer.tag) : answer;
      },
    };
  });
}

/** One caller's questions that are alike and come at the same time get one answer, which is not kept. */
function shareAnswers<Caller extends object>() {
  const callers = new WeakMap<Caller, Map<string, Shared<Answer>>>();
  return (caller: Caller, variables: Variables, make: () => Promise<Answer>): Promise<Answer> => {
    const questions = callers.get(caller) ?? new Map<string, Shared<Answer>>();
    callers.set(caller, questions);
    const question = JSON.stringify(variables);
    const shared = questions.get(question) ?? new Shared(make, () => questions.delete(question));
    questions.set(question, shared);
    return shared.get();
  };
}

const unchanged = (tag: string | undefined): Answer => ({ status: 304, tag, body: undefined });

interface Asked {
  readonly variables: Variables;
  readonly createContext: () => unknown;
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
  return async ({ variables, createContext }) => {
    const context = createContext();
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
  const write = async ({ variables, createContext }: Asked) => {
    const body = (await run({ variables, context: createContext() })) ?? absent(operation);
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

interface Stamped {
  readonly storeIdOf: (variables: Variables) => string;
  /** The tag that a body would have now. */
  readonly tagIn: (stamp: Stamp) => string;
}

/** Where the tag is made of a store's stamp alone, it can be told without running the operation. */
function compileStamped(graph: GraphQLSchema, operation: Operation): Stamped | undefined {
  const node = operationOf(operation.document, operation.name);
  const root = node && storeRootOf(graph, node, fragmentsOf(operation.document));
  const names = operation.stamps;
  if (!root || names.length === 0) return undefined;
  return {
    storeIdOf: root.storeIdOf,
    tagIn: stamp => {
      const values = names.map(name => stamp[name]);
      if (values.includes(undefined)) throw new Error(`A stamp has no ${names.join(', ')}`);
      return tagOf(values, operation.hash);
    },
  };
}

/** In the same words for what does not exist and for what the key does not reach. */
function absent({ route }: Operation): never {
  const names = namesInPath(route.path).join(', ');
  throw new Problem(404, `Nothing with this ${names} is within the reach of the API key.`);
}
