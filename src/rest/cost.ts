import type { DocumentNode } from 'graphql';
import { LRUCache } from 'lru-cache';
import { TooCostly } from '../errors.ts';
import type { Variables } from '../execution/compile.ts';
import type { Operation } from './contract/contract.ts';
import { tooMuch } from './domain-errors.ts';
import type { RouteLimits } from './execute.ts';

export interface CostOptions {
  /** The number of objects that an operation loads with these variables. */
  readonly costOf: (document: DocumentNode, operationName: string, variables: Variables) => number;
  readonly limits?: RouteLimits | undefined;
}

/** Compiles the cost of a request, which is 0 where neither a limit nor a turn depends on it. Throws 422 beyond the limit. */
export function compileCost(operation: Operation, { costOf, limits }: CostOptions): (variables: Variables) => number {
  const { route, parameters, document, name } = operation;
  const isList = route.method === 'GET' && parameters.some(parameter => parameter.in === 'query');
  if (!isList && !limits) return () => 0;
  const compute = (variables: Variables) => costOf(document, name, variables);
  const cached = parameters.some(parameter => parameter.in === 'body') ? compute : cacheCosts(compute);
  return variables => {
    const cost = cached(variables);
    if (!limits || cost <= limits.cost) return cost;
    throw tooMuch(operation, new TooCostly('these values', cost, limits.cost).message);
  };
}

/** Computes a cost once for numbers and the lengths of lists among the variables, and the names of the others: it depends on nothing else. */
function cacheCosts(costOf: (variables: Variables) => number): (variables: Variables) => number {
  const costs = new LRUCache<string, number>({ max: 1_000 });
  return variables => {
    let key = '';
    for (const name in variables) {
      const value = variables[name];
      const size = Array.isArray(value) ? value.length : value;
      key += typeof size === 'number' ? `${name}=${size},` : `${name},`;
    }
    let cost = costs.get(key);
    if (cost === undefined) {
      cost = costOf(variables);
      costs.set(key, cost);
    }
    return cost;
  };
}
