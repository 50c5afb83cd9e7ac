import { type ASTNode, GraphQLError, getLocation } from 'graphql';

/** Takes one fault of the contract and the text that it lies in. */
export type Report = (message: string, node: ASTNode) => void;

/** The texts in schema/rest do not fit the graph or each other: the service must not start. All faults are named. */
export class ContractError extends Error {
  constructor(faults: readonly Error[]) {
    super(`The REST contract has faults:\n  ${faults.map(describe).join('\n  ')}`);
  }
}

function describe(fault: Error): string {
  if (!(fault instanceof GraphQLError)) return fault.message;
  const places = (fault.nodes ?? []).flatMap(({ loc }) =>
    loc ? [`${loc.source.name}:${getLocation(loc.source, loc.start).line}`] : [],
  );
  const syntax = fault.source && fault.locations ? [`${fault.source.name}:${fault.locations[0]?.line}`] : [];
  const [place, ...others] = places.length > 0 ? places : syntax;
  const also = others.length > 0 ? ` (see ${others.join(', ')})` : '';
  return `${place ?? 'schema/rest'}: ${fault.message}${also}`;
}
