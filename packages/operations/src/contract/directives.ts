import {
  type ConstDirectiveNode,
  type DirectiveNode,
  GraphQLError,
  type GraphQLSchema,
  getDirectiveValues,
  type OperationDefinitionNode,
  OperationTypeNode,
} from 'graphql';

/** The arguments of directives, as directives.graphql declares them. */
interface Directives {
  readonly route: Omit<RouteDirective, 'method'> & { readonly method?: Method | null };
  readonly tool: ToolDirective;
  readonly webhook: WebhookDirective;
  readonly at: { readonly path: string };
  readonly constants: { readonly fields: readonly Constant[] };
  readonly values: { readonly map: readonly ValueMapping[] };
  readonly decimal: Decimal;
  readonly atMost: { readonly bytes: number };
  readonly to: { readonly path: string; readonly as?: string | null };
  readonly only: { readonly field: string };
  readonly header: { readonly name: string };
  readonly ifMatch: { readonly etagsOf: readonly string[] };
  readonly default: { readonly value: unknown };
  readonly range: { readonly min?: number | null; readonly max?: number | null };
  readonly description: { readonly text: string };
  readonly example: { readonly value: unknown };
  readonly length: { readonly min: number; readonly max: number };
  readonly documented: { readonly as: string };
  readonly deprecated: Deprecation;
  readonly interface: InterfaceDirective;
}

/** The `info` and `tags` of the OpenAPI document. */
export interface InterfaceDirective {
  readonly title: string;
  readonly description: string;
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly contact?: Readonly<Partial<Record<'name' | 'url' | 'email', string>>> | null;
  readonly license?: Readonly<Partial<Record<'name' | 'identifier' | 'url', string>>> | null;
  readonly ignoreUnknownFields: boolean;
  readonly internal: boolean;
  readonly documentsForbidden: boolean;
}

export interface ToolDirective {
  readonly name?: string | null;
  readonly description?: string | null;
}

export interface WebhookDirective {
  readonly events: readonly unknown[];
  readonly tags: readonly string[];
  readonly summary?: string | null;
  readonly description?: string | null;
}

/** A value of the graph, and that of callers. */
export interface ValueMapping {
  readonly of: unknown;
  readonly as: unknown;
}

/** How an amount in the smallest unit of a currency is written. */
export interface Decimal {
  readonly digits: number;
  readonly isText: boolean;
}

/** That callers should use something else. Dates are days in UTC, at whose beginning they are. */
export interface Deprecation {
  readonly reason: string;
  readonly since?: string | null;
  readonly sunset?: string | null;
  readonly link?: string | null;
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface RouteDirective {
  readonly method: Method;
  readonly path: string;
  readonly tags: readonly string[];
  readonly summary?: string | null;
  readonly description?: string | null;
  readonly constants: readonly Constant[];
  readonly body?: string | null;
  readonly links: readonly Link[];
  readonly etag?: string | null;
}

export interface Constant {
  readonly name: string;
  readonly value: string;
  readonly before?: string | null;
  readonly optional: boolean;
}

/** A parameter of another operation that has its value in the response. */
export interface Link {
  readonly operation: string;
  readonly parameter: string;
  readonly value: string;
}

export interface Annotated {
  readonly directives?: readonly (DirectiveNode | ConstDirectiveNode)[] | undefined;
}

/** The arguments of a directive on a node; undefined without it, and for arguments of a wrong type. */
export function directiveAt<Name extends keyof Directives>(
  schema: GraphQLSchema,
  name: Name,
  { directives = [] }: Annotated,
): Directives[Name] | undefined {
  const definition = schema.getDirective(name);
  if (!definition) return undefined;
  try {
    const values: unknown = getDirectiveValues(definition, { directives: directives as readonly DirectiveNode[] });
    // Coerced to the types of the definition.
    return values as Directives[Name] | undefined;
  } catch (error) {
    // Reported by validation, with its location.
    if (error instanceof GraphQLError) return undefined;
    throw error;
  }
}

/** The arguments of a repeatable directive, each time that it is on a node. */
export function directivesAt<Name extends keyof Directives>(
  schema: GraphQLSchema,
  name: Name,
  { directives = [] }: Annotated,
): Directives[Name][] {
  const found = directives.filter(directive => directive.name.value === name);
  return found.flatMap(directive => directiveAt(schema, name, { directives: [directive] }) ?? []);
}

/** The head of the set whose files have extended the graph. */
export function interfaceOf(schema: GraphQLSchema): InterfaceDirective | undefined {
  const found = schema.extensionASTNodes.map(node => directiveAt(schema, 'interface', node));
  return found.find(directive => directive !== undefined);
}

/** What readers do with the fields of a body that the set does not have. */
export const unknownFieldsIn = (info: InterfaceDirective | undefined): 'ignore' | 'forbid' =>
  info?.ignoreUnknownFields ? 'ignore' : 'forbid';

/** The route of an operation: a mutation is POST unless it says otherwise. */
export function routeAt(schema: GraphQLSchema, node: OperationDefinitionNode): RouteDirective | undefined {
  const route = directiveAt(schema, 'route', node);
  const usual = node.operation === OperationTypeNode.MUTATION ? 'POST' : 'GET';
  return route && { ...route, method: route.method ?? usual };
}

export function hasDirective(
  { directives = [] }: Annotated,
  name: 'route' | 'webhook' | 'tool' | 'body' | 'etag' | 'optional' | 'ifReadable' | 'unused',
): boolean {
  return directives.some(directive => directive.name.value === name);
}
