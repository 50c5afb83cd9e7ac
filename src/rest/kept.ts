import type { GraphQLSchema } from 'graphql';
import type { AnswerCache } from '../answers/cache.ts';
import { isConfigured } from '../answers/configured.ts';
import { chooseEncoding } from '../answers/encoding.ts';
import type { Packed } from '../answers/packed.ts';
import type { Contract, Operation } from './contract/contract.ts';
import { tagOf, tagOfForm } from './etag.ts';
import { absent, type Make } from './making.ts';
import type { Variables, Write } from './written.ts';

/** Whether an operation's answer depends on a store's configuration alone, by a tag that can be told without making it. */
export function isKept(graph: GraphQLSchema, { document, name, stamps }: Operation): boolean {
  return stamps.length > 0 && isConfigured(graph, document, name);
}

/** Such an answer is kept as long as its tag holds. */
export function answerKept(operation: Operation, write: Write<Buffer>, answers: AnswerCache): Make {
  return async ({ variables, createContext, current, accepted }) => {
    if (current === undefined) throw new Error(`${operation.name} was not told what holds`);
    const found = answers.get(questionOf(operation, variables), current, async () => {
      const { body, tagValues } = (await write(variables, createContext())) ?? absent(operation);
      return { revision: tagOf(tagValues, operation.hash), bytes: body };
    });
    const answer = found instanceof Promise ? await found : found;
    const encoding = chooseEncoding(accepted, answer.bytes.length);
    const body = encoding ? await answer.encoded(encoding) : answer.bytes;
    return { status: 200, tag: tagOfForm(answer.revision, encoding), body, encoding: encoding ?? 'identity' };
  };
}

const questionOf = ({ name }: Operation, variables: Variables) => `${name} ${JSON.stringify(variables)}`;

/** Takes a body and the values of its tag as the answer to a question that will be asked. */
export type Leave = (variables: Variables, body: Packed, tagValues: readonly unknown[]) => void;

/**
 * Where a write answers what a read of the same path would answer then, whoever reads next finds the answer made. That is so
 * if both write their body by the same text, and `@ifMatch` takes the tags of the one for those of the other.
 */
export function compileLeave(
  graph: GraphQLSchema,
  { operations }: Contract,
  write: Operation,
  answers: AnswerCache,
): Leave {
  const alike = new Set(write.parameters.flatMap(parameter => parameter.tagsOf));
  const isReadBack = (read: Operation) =>
    read.route.path === write.route.path && read.bodyText === write.bodyText && alike.has(read.name);
  const read = operations.find(other => isReadBack(other) && isKept(graph, other));
  if (!read || !alike.has(write.name)) return () => {};
  return (variables, body, tagValues) => {
    const known = read.parameters.map(({ name }) => [name, variables[name]]);
    const question = questionOf(read, Object.fromEntries(known));
    answers.leave(question, tagOf(tagValues, read.hash), body);
  };
}
