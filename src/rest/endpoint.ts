import type { FastifyRequest } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import type { AnswerCache } from '../answers/cache.ts';
import { fragmentsOf, operationOf } from '../answers/fields.ts';
import { Packed } from '../answers/packed.ts';
import { type ReadStamp, type Stamp, storeRootOf } from '../answers/stamped.ts';
import { bytesOf } from '../answers/writer.ts';
import { Shared } from '../sharing.ts';
import { compileArguments } from './arguments.ts';
import { type Contract, type Operation, rootFieldOf } from './contract/contract.ts';
import { isNamed, tagOf, tagOfBody } from './etag.ts';
import { answerKept, compileLeave, isKept, type Leave } from './kept.ts';
import { type Answer, absent, type Make } from './making.ts';
import { compileWrite, type Variables, type Write } from './written.ts';

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
  const { schema: graph, createContext, readStamp } = options;
  return contract.operations.map(operation => {
    const readArguments = compileArguments(graph, operation, contract.operations);
    const stamped = compileStamped(graph, operation);
    const keeps = isKept(graph, operation);
    const isRead = operation.route.method === 'GET';
    const make = compileMake(contract, operation, options);
    const isList = isRead && operation.parameters.some(parameter => parameter.in === 'query');
    const shared = shareAnswers<Caller>();
    return {
      operation,
      async answer(request, caller) {
        const variables = readArguments(request);
        const known = isRead ? request.headers['if-none-match'] : undefined;
        const current =
          stamped && (known !== undefined || keeps)
            ? stamped.tagIn((await readStamp(caller, stamped.askedOf(variables))) ?? absent(operation))
            : undefined;
        if (known !== undefined && current !== undefined && isNamed(current, known)) return unchanged(current);
        const accepted = request.headers['accept-encoding'];
        const asked = { variables, current, accepted, createContext: () => createContext(caller) };
        const answer = await (isList && !keeps ? shared(caller, variables, () => make(asked)) : make(asked));
        const same = known !== undefined && answer.tag !== undefined && isNamed(answer.tag, known);
        return same ? unchanged(answer.tag) : answer;
      },
    };
  });
}

/**
 * One caller's questions that are alike and come at the same time get one answer, which is not kept. Worth it for lists:
 * what is found by its identifier is looked up together with others anyway.
 */
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

function compileMake<Caller extends object>(
  contract: Contract,
  operation: Operation,
  { schema: graph, answers }: EndpointOptions<Caller>,
): Make {
  const { type } = rootFieldOf(contract, operation);
  if (operation.route.method !== 'GET') {
    const write = compileWrite(graph, operation, type, piece => new Packed(piece));
    return answerWritten(operation, write, compileLeave(graph, contract, operation, answers));
  }
  const write = compileWrite(graph, operation, type, bytesOf);
  return isKept(graph, operation) ? answerKept(operation, write, answers) : answerAnew(operation, write);
}

/** An answer that is written anew each time. */
function answerAnew(operation: Operation, write: Write<Buffer>): Make {
  return async ({ variables, createContext }) => {
    const { body, tagValues } = (await write(variables, createContext())) ?? absent(operation);
    const tag = tagValues.length > 0 ? tagOf(tagValues, operation.hash) : tagOfBody(body);
    return { status: 200, tag, body };
  };
}

/** What a write answers. Packed, since it may be large and is sent once. */
function answerWritten(operation: Operation, write: Write<Packed>, leave: Leave): Make {
  return async ({ variables, createContext }) => {
    const { body, tagValues } = (await write(variables, createContext())) ?? absent(operation);
    leave(variables, body, tagValues);
    const tag = tagValues.length > 0 ? tagOf(tagValues, operation.hash) : undefined;
    return { status: 200, tag, body };
  };
}

interface Stamped {
  readonly askedOf: (variables: Variables) => { readonly storeId: string; readonly names: readonly string[] };
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
    askedOf: variables => ({ storeId: root.storeIdOf(variables), names }),
    tagIn: stamp => {
      const values = names.map(name => stamp[name]);
      if (values.includes(undefined)) throw new Error(`A stamp has no ${names.join(', ')}`);
      return tagOf(values, operation.hash);
    },
  };
}
