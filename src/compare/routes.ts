import { type GraphQLOutputType, getNullableType, isListType, isObjectType } from 'graphql';
import { snakeCase } from '../input/names.ts';
import { type Contract, type Operation, rootFieldOf } from '../rest/contract/contract.ts';
import { compileComparison, identityOf, type Strictness } from './body.ts';
import type { Compare } from './free.ts';

/** How a list is read in parts: so many after so many, or by the number of the page. */
export type Paging = 'offset' | 'pages';

/** A route that reads, as the contract has it. */
export interface ReadRoute {
  /** As it is documented: `GET /v1/stores/{store_service_id}`. */
  readonly name: string;
  readonly path: string;
  /** The type whose identifier is in the path, as the graph calls it. */
  readonly of: string | undefined;
  /** The type of the thing, or of the things, that it answers; undefined for what has no identifier. */
  readonly answers: string | undefined;
  readonly paging: Paging | undefined;
  /** The field of the body that is the list; undefined where the whole body is. */
  readonly listField: string | undefined;
  readonly parameters: ReadonlySet<string>;
  readonly compare: Compare;
  /** What the body as a whole is called in a report. */
  readonly bodyType: string;
}

export function readRoutes(contract: Contract, strictness: Strictness): readonly ReadRoute[] {
  const reads = contract.operations.filter(({ route }) => route.method === 'GET');
  const drafts = reads.map(operation => describe(contract, operation, strictness));
  const nouns = new Set(drafts.flatMap(({ answers }) => answers ?? []));
  return drafts.map(draft => ({ ...draft, of: [...nouns].find(noun => draft.parameters.has(idParameter(noun))) }));
}

/** `Store` → `store_service_id`: the interface names the identifier in a path after what it identifies. */
function idParameter(noun: string): string {
  return snakeCase(`${noun.charAt(0).toLowerCase()}${noun.slice(1)}ServiceId`);
}

function describe(contract: Contract, operation: Operation, strictness: Strictness): Omit<ReadRoute, 'of'> {
  const { type } = rootFieldOf(contract, operation);
  const parameters = new Set(operation.parameters.map(({ name }) => name));
  const paging = pagingOf(parameters);
  const list = paging ? listIn(type) : undefined;
  return {
    name: `GET ${operation.route.path}`,
    path: operation.route.path,
    answers: identityOf(list?.elementType ?? type)?.type,
    paging,
    listField: list?.field,
    parameters,
    compare: compileComparison(type, strictness),
    bodyType: operation.name,
  };
}

function pagingOf(parameters: ReadonlySet<string>): Paging | undefined {
  if (parameters.has('skip') && parameters.has('limit')) return 'offset';
  return parameters.has(snakeCase('pageIndex')) ? 'pages' : undefined;
}

interface ListInBody {
  readonly field: string | undefined;
  readonly elementType: GraphQLOutputType;
}

function listIn(type: GraphQLOutputType): ListInBody | undefined {
  const body = getNullableType(type);
  if (isListType(body)) return { field: undefined, elementType: body.ofType };
  if (!isObjectType(body)) return undefined;
  for (const { name, type: fieldType } of Object.values(body.getFields())) {
    const bare = getNullableType(fieldType);
    if (isListType(bare)) return { field: name, elementType: bare.ofType };
  }
  return undefined;
}
