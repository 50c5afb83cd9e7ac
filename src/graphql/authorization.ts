import { Forbidden } from '@carte/base/errors';
import { memoize } from '@carte/base/memoize';
import { directiveOf, fragmentsOf } from '@carte/operations/execution/selected-fields';
import {
  type ASTVisitor,
  type DocumentNode,
  defaultFieldResolver,
  GraphQLError,
  type GraphQLField,
  type GraphQLFieldConfig,
  type GraphQLFieldResolver,
  type GraphQLObjectType,
  type GraphQLSchema,
  isInterfaceType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import {
  type AccessScope,
  hasOwnOrdersOnly,
  type Permission,
  type ReadPermission,
  readPermissions,
  readPermissionsOf,
  requireKey,
  requirePermission,
} from '../scope.ts';
import type { Context } from './context.ts';

/** Throws unless the key may use a root field: `@requires` names the permission, and the one of publishable keys; without it any key may. */
function authorize(
  { extensions }: Pick<GraphQLField<unknown, unknown>, 'extensions'>,
  caller: { readonly scope: AccessScope | undefined } | null,
): void {
  const { permission, ofGuests } = extensions as Readonly<Record<string, Permission | null | undefined>>;
  if (caller?.scope?.publishable && ofGuests) requirePermission(caller.scope, ofGuests);
  else if (permission) requirePermission(caller?.scope, permission);
  else requireKey(caller?.scope);
}

/** Has every root field authorize its caller; introspection needs no key. Throws if a mutation lacks `@requires`. */
export function authorizeRootFields(schema: GraphQLSchema): void {
  const mutations = fieldsOf(schema.getMutationType());
  for (const field of [...fieldsOf(schema.getQueryType()), ...mutations, ...fieldsOf(schema.getSubscriptionType())]) {
    field.extensions = { ...field.extensions, ...directiveOf(schema, 'requires', field) };
    field.resolve = authorized(field, field.resolve ?? defaultFieldResolver);
    if (field.subscribe) field.subscribe = authorized(field, field.subscribe);
  }
  const open = mutations.filter(({ extensions }) => !extensions.permission).map(({ name }) => name);
  if (open.length > 0) throw new Error(`These mutations need @requires: ${open.join(', ')}`);
}

type Resolve = GraphQLFieldResolver<unknown, Context>;

function authorized(field: GraphQLField<unknown, Context>, resolve: Resolve): Resolve {
  return (root, args, context, info) => {
    authorize(field, context);
    return resolve(root, args, context, info);
  };
}

const fieldsOf = (type: GraphQLObjectType | null | undefined) => Object.values(type?.getFields() ?? {});

/** The arguments of `@readable` (schema/graph.graphql). */
interface Readable {
  readonly with?: ReadPermission | null;
  readonly byGuests: boolean;
  readonly byPlacer: boolean;
}

/** Reads `@readable` of every field; throws if one has neither that nor `@requires`. */
export function readReadable(schema: GraphQLSchema): void {
  const types = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'));
  const errors = types
    .filter(type => isObjectType(type) || isInterfaceType(type))
    .flatMap(type => {
      const fields = Object.values(type.getFields());
      const missing = fields.flatMap(field => {
        const readable = directiveOf(schema, 'readable', field) as Readable | undefined;
        field.extensions = { ...field.extensions, readable: readable ?? { byGuests: false, byPlacer: false } };
        if (!readable) return field.extensions.permission ? [] : [`${type.name}.${field.name}`];
        const isKnown = !readable.with || readPermissions.some(permission => permission === readable.with);
        return isKnown ? [] : [`${type.name}.${field.name} (${readable.with} is not a permission for reading)`];
      });
      return missing.length === fields.length ? [`all of ${type.name}`] : missing;
    });
  if (errors.length === 0) return;
  throw new Error(
    `Nothing says who may read these fields: ${errors.join(', ')}. Write @readable(with: READ_MENUS), READ_ORDERS or READ_HISTORY ` +
      'on the field, or on the `type` or `extend type` around it; with `byGuests: true` if publishable keys may read it too, and ' +
      'without `with` if any key may that can read what leads to it (CONTRIBUTING.md, "Who may read a field").',
  );
}

/** Finds the fields of an operation that a key may not read, each once and with its path; without an operation, those of the whole document. */
export type CheckReadable = ReturnType<typeof createReadableCheck>;

interface CheckedRequest {
  readonly document: DocumentNode;
  readonly operation?: OperationDefinitionNode | undefined;
}

interface Reader {
  readonly granted: readonly ReadPermission[];
  readonly isGuest: boolean;
  /** Whether it reads the orders that it has placed. */
  readonly isPlacer: boolean;
}

/** Whether publishable keys may read a field. */
export function isForGuests({ extensions }: Pick<GraphQLFieldConfig<unknown, unknown>, 'extensions'>): boolean {
  return (extensions?.readable as Readable | undefined)?.byGuests === true;
}

const none: readonly GraphQLError[] = [];

/** Checks an operation once for each set of permissions; keys that read everything are not checked. */
export function createReadableCheck(schema: GraphQLSchema) {
  const checkedOf = memoize((_operation: OperationDefinitionNode) => new Map<string, readonly GraphQLError[]>());
  return ({ document, operation }: CheckedRequest, scope: AccessScope | undefined): readonly GraphQLError[] => {
    if (!scope) return none;
    const isGuest = scope.publishable === true;
    const reader = { granted: readPermissionsOf(scope), isGuest, isPlacer: hasOwnOrdersOnly(scope) };
    if (readPermissions.every(permission => reader.granted.includes(permission))) return none;
    const kind = isGuest ? 'guest' : reader.granted.join();
    const operations = operation ? [operation] : operationsOf(document);
    return operations.flatMap(node => {
      const checked = checkedOf(node);
      const errors = checked.get(kind) ?? findUnreadable(schema, document, node, reader);
      checked.set(kind, errors);
      return errors;
    });
  };
}

/** An operation of a route, or a variant of it that selects less. */
interface RouteVariant {
  readonly rootField: GraphQLField<unknown, unknown>;
  readonly document: DocumentNode;
}

/** Finds the first variant of which the key may use the root field and read all that it selects; throws for the first if there is none. */
export function createRouteAuthorization(schema: GraphQLSchema) {
  const checkReadable = createReadableCheck(schema);
  return <Variant extends RouteVariant>(
    variants: readonly [Variant, ...Variant[]],
    caller: { readonly scope: AccessScope } | null,
  ): Variant => {
    const [first] = variants;
    authorize(first.rootField, caller);
    const errorsOf = ({ document }: RouteVariant) => checkReadable({ document }, caller?.scope);
    const found = variants.find(variant => errorsOf(variant).length === 0);
    if (!found) throwForbidden(errorsOf(first));
    return found ?? first;
  };
}

/** Finds the permissions without which a key may not execute an operation, in the variant that selects least. */
export const permissionsIn =
  (schema: GraphQLSchema) =>
  (operation: RouteVariant & { readonly reduced?: RouteVariant | undefined }): readonly string[] => {
    const permissions = new Set<unknown>();
    const types = new TypeInfo(schema);
    const collect = () => {
      const { readable, permission } = types.getFieldDef()?.extensions ?? {};
      permissions.add(permission).add((readable as Readable | undefined)?.with);
    };
    visit((operation.reduced ?? operation).document, visitWithTypeInfo(types, { [Kind.FIELD]: collect }));
    return [...permissions].filter(permission => typeof permission === 'string');
  };

/** Throws `Forbidden` with the first of the errors. */
export function throwForbidden([first, ...others]: readonly GraphQLError[]): void {
  if (first) throw new Forbidden(others.length > 0 ? `${first.message} (and ${others.length} more)` : first.message);
}

const operationsOf = ({ definitions }: DocumentNode) =>
  definitions.filter(definition => definition.kind === Kind.OPERATION_DEFINITION);

/** In time linear in the length of the document: nothing below a field that is reported is looked at, and no fragment twice. */
function findUnreadable(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  reader: Reader,
): readonly GraphQLError[] {
  const fragments = new Map(fragmentsOf(document));
  const errors = new Map<string, GraphQLError>();
  const path: string[] = [];
  const types = new TypeInfo(schema);
  const visitor: ASTVisitor = visitWithTypeInfo(types, {
    [Kind.FIELD]: {
      enter(node) {
        const [parent, field] = [types.getParentType(), types.getFieldDef()];
        // Introspection, which needs no permission.
        if (!parent || !field?.extensions.readable) return false;
        const key = (node.alias ?? node.name).value;
        const coordinate = `${parent.name}.${field.name}`;
        const message = explainUnreadable(coordinate, field, reader);
        if (message === undefined) {
          path.push(key);
          return undefined;
        }
        const options = { nodes: node, path: [...path, key], extensions: { code: 'FORBIDDEN' } };
        if (!errors.has(coordinate)) errors.set(coordinate, new GraphQLError(message, options));
        return false;
      },
      leave: () => void path.pop(),
    },
    [Kind.FRAGMENT_SPREAD]({ name }) {
      const fragment = fragments.get(name.value);
      fragments.delete(name.value);
      if (fragment) visit(fragment, visitor);
    },
  });
  visit(operation, visitor);
  return [...errors.values()];
}

function explainUnreadable(
  coordinate: string,
  field: GraphQLField<unknown, unknown>,
  { granted, isGuest, isPlacer }: Reader,
): string | undefined {
  if (isGuest) return isForGuests(field) ? undefined : `${coordinate} is not for publishable keys.`;
  const { with: needed, byPlacer } = field.extensions.readable as Readable;
  if (!needed || granted.includes(needed) || (byPlacer && isPlacer)) return undefined;
  return `This API key may not read ${coordinate}: it has ${granted.join(', ')}, but not ${needed}.`;
}
