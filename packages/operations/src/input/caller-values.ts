import { type GraphQLNamedType, type GraphQLType, getNamedType, isInputObjectType, isObjectType } from 'graphql';
import { type BodyOperation, type Contract, rootFieldOf } from '../contract/contract.ts';
import type { InputExtensions } from '../contract/inputs.ts';

interface Field {
  readonly type: GraphQLType;
  readonly extensions: InputExtensions;
}

/** A word of the graph, which no sentence has by itself. */
const isName = (of: unknown): of is string => typeof of === 'string' && /^[A-Z][A-Z0-9_]+$/.test(of);

/**
 * Compiles a function that writes the values of the graph in a message as callers of the operation have them, by `@values`: first as they send them, else
 * as they get them. What is quoted are their own words.
 */
export function compileMessages(contract: Contract, operation: BodyOperation): (message: string) => string {
  const words = new Map<string, string>();
  const seen = new Set<GraphQLNamedType>();
  const addField = ({ type, extensions: { values = [] } }: Field) => {
    for (const { of, as } of values) if (isName(of) && !words.has(of)) words.set(of, String(as));
    addType(getNamedType(type));
  };
  const addType = (type: GraphQLNamedType) => {
    if (seen.has(type) || !(isInputObjectType(type) || isObjectType(type))) return;
    seen.add(type);
    const fields: readonly Field[] = Object.values(type.getFields());
    for (const field of fields) addField(field);
  };
  const { args, type } = rootFieldOf(contract, operation);
  for (const argument of args) addField(argument);
  addType(getNamedType(type));
  if (words.size === 0) return message => message;
  const name = `\\b(?:${[...words.keys()].join('|')})\\b`;
  const namesOrQuoted = new RegExp(`"[^"]*"|${name}(?:(?:, | or )${name})*`, 'g');
  return message => message.replace(namesOrQuoted, found => (found.startsWith('"') ? found : translate(found, words)));
}

/** Several values of the graph may be one of callers. */
function translate(list: string, words: ReadonlyMap<string, string>): string {
  const all = new Set(list.split(/, | or /).map(name => words.get(name) ?? name));
  return [...all].join(', ').replace(/, (?=[^,]*$)/, ' or ');
}
