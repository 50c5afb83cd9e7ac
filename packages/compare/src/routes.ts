import { type Contract, type Operation, rootFieldOf } from '@carte/operations/contract/contract';
import { snakeCase } from '@carte/operations/input/names';
import { type GraphQLOutputType, getNullableType, isListType, isObjectType } from 'graphql';
import { compileComparison, identityOf, type Strictness } from './body.ts';
import type { Compare } from './values.ts';

/** Pagination by `skip` and `limit`, or by page index. */
export type Paging = 'offset' | 'pages';

/** A GET route of the contract. */
export interface ReadRoute {
  /** E.g. `GET /v1/stores/{store_service_id}`. */
  readonly name: string;
  readonly path: string;
  /** Graph type of the entity whose id is in the path. */
  readonly idType: string | undefined;
  /** Graph type of the entity, or the listed entities, in the response; undefined if they have no id. */
  readonly entityType: string | undefined;
  readonly paging: Paging | undefined;
  /** Field of the body that holds the list; undefined if the body is the list. */
  readonly listField: string | undefined;
  readonly parameters: ReadonlySet<string>;
  readonly compare: Compare;
  /** Name of the body as a whole in reports. */
  readonly bodyType: string;
}

/** The GET routes of the sets that need no more than the id of an entity. */
export function readRoutes(contracts: readonly Contract[], strictness: Strictness): readonly ReadRoute[] {
  const routes = contracts.flatMap(contract => {
    const reads = contract.operations.filter(({ route }) => route.method === 'GET');
    return reads.map(operation => readRoute(contract, operation, strictness));
  });
  const entityTypes = [...new Set(routes.flatMap(({ entityType }) => entityType ?? []))];
  return routes.flatMap(({ required, ...route }) => {
    const idType = entityTypes.find(type => route.parameters.has(idParameter(type)));
    return required.length > (idType === undefined ? 0 : 1) ? [] : [{ ...route, idType }];
  });
}

/** Returns the name of the path parameter for a type: `Store` → `store_service_id`. */
function idParameter(type: string): string {
  return snakeCase(`${type.charAt(0).toLowerCase()}${type.slice(1)}ServiceId`);
}

function readRoute(contract: Contract, operation: Operation, strictness: Strictness) {
  const { type } = rootFieldOf(contract, operation);
  const parameters = new Set(operation.parameters.map(({ name }) => name));
  const paging = pagingOf(parameters);
  const list = paging ? findList(type) : undefined;
  return {
    name: `GET ${operation.route.path}`,
    path: operation.route.path,
    entityType: identityOf(list?.elementType ?? type)?.type,
    paging,
    listField: list?.field,
    parameters,
    required: operation.parameters.filter(({ required }) => required),
    compare: compileComparison(type, strictness),
    bodyType: operation.name,
  };
}

function pagingOf(parameters: ReadonlySet<string>): Paging | undefined {
  if (parameters.has('skip') && parameters.has('limit')) return 'offset';
  return parameters.has(snakeCase('pageIndex')) ? 'pages' : undefined;
}

/** The list in a body, which is the body itself where it has no field. */
function findList(type: GraphQLOutputType) {
  const body = getNullableType(type);
  if (isListType(body)) return { field: undefined, elementType: body.ofType };
  if (!isObjectType(body)) return undefined;
  for (const { name, type: fieldType } of Object.values(body.getFields())) {
    const bare = getNullableType(fieldType);
    if (isListType(bare)) return { field: name, elementType: bare.ofType };
  }
  return undefined;
}
