import { type ASTNode, GraphQLError, getLocation } from 'graphql';

/** Takes one error of the contract and the text that it lies in. */
export type Report = (message: string, node: ASTNode) => void;

/** The texts in schema/rest do not fit the graph or each other: the service must not start. All errors are named. */
export class ContractError extends Error {
  constructor(errors: readonly Error[]) {
    super(`The REST contract has errors:\n  ${errors.map(describe).join('\n  ')}`);
  }
}

function describe(error: Error): string {
  if (!(error instanceof GraphQLError)) return error.message;
  const places = (error.nodes ?? []).flatMap(({ loc }) =>
    loc ? [`${loc.source.name}:${getLocation(loc.source, loc.start).line}`] : [],
  );
  const syntax = error.source && error.locations ? [`${error.source.name}:${error.locations[0]?.line}`] : [];
  const [place, ...others] = places.length > 0 ? places : syntax;
  const also = others.length > 0 ? ` (see ${others.join(', ')})` : '';
  return `${place ?? 'schema/rest'}: ${error.message}${also}`;
}
