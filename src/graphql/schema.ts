import { readdirSync, readFileSync } from 'node:fs';
import { type CheckPartialInput, InvalidInput, type ValidationError } from '@carte/base/errors';
import { makeExecutableSchema } from '@graphql-tools/schema';
import { type DocumentNode, defaultFieldResolver, type GraphQLSchema, isScalarType, parse } from 'graphql';
import { authResolvers } from '../auth/resolvers.ts';
import { edgeResolvers } from '../edge/resolvers.ts';
import { eventResolvers } from '../events/resolvers.ts';
import { checkCacheDirectives } from '../execution/cacheable.ts';
import type { Resolvers, ResolversParentTypes, Scalars } from '../generated/graph.ts';
import { menuHistoryResolvers } from '../menu/history/resolvers.ts';
import { menuResolvers } from '../menu/resolvers.ts';
import { partialInputChecks } from '../menu/validate.ts';
import { merchantResolvers } from '../merchant/resolvers.ts';
import { orderResolvers } from '../order/resolvers.ts';
import { currentRequest } from '../scheduling/current-request.ts';
import { storeResolvers } from '../store/resolvers.ts';
import { webhookResolvers } from '../webhooks/resolvers.ts';
import { authorizeRootFields, readReadable } from './authorization.ts';
import type { Context } from './context.ts';
import { inheritDirectives } from './inherit-directives.ts';
import { nodeResolvers } from './nodes.ts';
import { toPublicSchema } from './public-schema.ts';
import { limitListObjects } from './response-limit.ts';
import { scalars } from './scalars.ts';

const folder = new URL('../../schema/', import.meta.url);

let loaded: GraphQLSchema | undefined;
let loadedPublic: GraphQLSchema | undefined;
let loadedSubgraph: GraphQLSchema | undefined;

/** Loads the executable schema, with what is internal: `schema/*.graphql` with the resolvers of every domain. Nothing changes it, so a process has one. */
export function loadSchema(): GraphQLSchema {
  loaded ??= complete(
    makeExecutableSchema<Context>({
      typeDefs: readDefinitions(),
      resolvers: [scalars, ...resolvers],
      // Tests check it, and a start saves 40 ms.
      assumeValidSDL: true,
      // Nothing else has this schema; a copy of it with the resolvers would take 40 ms.
      updateResolversInPlace: true,
    }),
  );
  return loaded;
}

/** The same as `/graphql` has it. */
export function loadPublicSchema(): GraphQLSchema {
  loadedPublic ??= toPublicSchema(loadSchema());
  return loadedPublic;
}

/** The same as a subgraph of a federated graph. */
export async function loadSubgraph(): Promise<GraphQLSchema> {
  // Its package is not loaded where nothing needs it.
  const { buildSubgraph } = await import('./subgraph.ts');
  loadedSubgraph ??= complete(buildSubgraph(readDefinitions(), [scalars, ...resolvers]));
  return loadedSubgraph;
}

function readDefinitions(): DocumentNode[] {
  const files = readdirSync(folder).filter(file => file.endsWith('.graphql'));
  return files.map(file => inheritDirectives(parse(readFileSync(new URL(file, folder), 'utf8'))));
}

/** Adds what holds for all fields: permissions, limits and checks. */
function complete(schema: GraphQLSchema): GraphQLSchema {
  describeScalars(schema);
  reportMutations(schema);
  authorizeRootFields(schema);
  readReadable(schema);
  addInputChecks(schema);
  checkCacheDirectives(schema);
  limitListObjects(schema);
  return schema;
}

/** Restores the descriptions that scalars with functions lose in `makeExecutableSchema`. */
function describeScalars(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (isScalarType(type)) type.description ??= type.astNode?.description?.value;
  }
}

/**
 * Has every mutation report its end, also after an error: something may have been committed before. Meanwhile its request counts among those that
 * change something. The paths of its errors start at its argument `input`, whose fields the commands name.
 */
function reportMutations(schema: GraphQLSchema): void {
  for (const field of Object.values(schema.getMutationType()?.getFields() ?? {})) {
    const { resolve = defaultFieldResolver } = field;
    field.resolve = async (root, args, context: Context, info) => {
      const request = currentRequest.getStore();
      if (request) request.isWriting = true;
      try {
        return await resolve(root, args, context, info);
      } catch (error) {
        throw error instanceof InvalidInput ? new InvalidInput(error.errors.map(belowInput)) : error;
      } finally {
        if (request) request.isWriting = false;
        context.feed?.sequence();
      }
    };
  }
}

const belowInput = (error: ValidationError): ValidationError =>
  error.path[0] === 'input' ? error : { ...error, path: ['input', ...error.path] };

/** Adds the checks of partly read input, with which the REST facade reports the errors of shape and of domain at once. */
function addInputChecks(schema: GraphQLSchema): void {
  const fields = schema.getMutationType()?.getFields() ?? {};
  for (const [name, checkPart] of Object.entries<CheckPartialInput>(partialInputChecks)) {
    const field = fields[name];
    if (!field) throw new Error(`The schema has no mutation ${name}, which partialInputChecks names`);
    field.extensions = { ...field.extensions, checkPart };
  }
}

const domains = [
  merchantResolvers,
  storeResolvers,
  menuResolvers,
  menuHistoryResolvers,
  orderResolvers,
  authResolvers,
  eventResolvers,
  webhookResolvers,
  edgeResolvers,
  nodeResolvers,
] as const;

type TypeName = Exclude<keyof Resolvers & keyof ResolversParentTypes, keyof Scalars>;
type ResolversOf<Type extends TypeName> = Required<NonNullable<Resolvers[Type]>>;

/** The fields of a type for which a domain has a resolver. */
type ResolvedIn<Domain, Type extends TypeName> =
  Domain extends Readonly<Record<Type, infer Fields>> ? keyof Fields : never;
type ResolvedField<Type extends TypeName> = ResolvedIn<(typeof domains)[number], Type> | '__isTypeOf';

type ValueOf<Resolver> = Resolver extends (...args: never[]) => infer Value ? Awaited<Value> : never;

/** What a property resolves to: one that is absent, to null. */
type PropertyOf<Parent, Field> = Field extends keyof Parent
  ? Parent[Field] extends infer Value
    ? Value extends undefined
      ? null
      : Value
    : never
  : undefined;

type UnresolvedFieldOf<Type extends TypeName> = {
  [Field in Exclude<keyof ResolversOf<Type> & string, ResolvedField<Type>>]: [
    PropertyOf<ResolversParentTypes[Type], Field>,
  ] extends [ValueOf<ResolversOf<Type>[Field]>]
    ? never
    : `${Type}.${Field}`;
}[Exclude<keyof ResolversOf<Type> & string, ResolvedField<Type>>];

/** The fields of the graph with neither a resolver nor a property of their name and type in the value of their parent (codegen.yml). */
type UnresolvedField = { [Type in TypeName]: UnresolvedFieldOf<Type> }[TypeName];

const unresolved: Readonly<Record<UnresolvedField, never>> = {};

/** The resolvers of every domain. A field that nothing resolves does not compile: it is missing in `unresolved`. */
const resolvers = [...domains, unresolved];
