import { authResolvers } from '../auth/resolvers.ts';
import { eventResolvers } from '../events/resolvers.ts';
import type { Resolvers, ResolversParentTypes, Scalars } from '../generated/graph.ts';
import { menuHistoryResolvers } from '../menu/history/resolvers.ts';
import { menuResolvers } from '../menu/resolvers.ts';
import { merchantResolvers } from '../merchant/resolvers.ts';
import { orderResolvers } from '../order/resolvers.ts';
import { storeResolvers } from '../store/resolvers.ts';
import { webhookResolvers } from '../webhooks/resolvers.ts';

const domains = [
  merchantResolvers,
  storeResolvers,
  menuResolvers,
  menuHistoryResolvers,
  orderResolvers,
  authResolvers,
  eventResolvers,
  webhookResolvers,
] as const;

type TypeName = Exclude<keyof Resolvers & keyof ResolversParentTypes, keyof Scalars>;
type ResolversOf<Type extends TypeName> = Required<NonNullable<Resolvers[Type]>>;

/** The fields of a type for which a domain has a resolver. */
type ResolvedIn<Domain, Type extends TypeName> =
  Domain extends Readonly<Record<Type, infer Fields>> ? keyof Fields : never;
type ResolvedField<Type extends TypeName> = ResolvedIn<(typeof domains)[number], Type>;

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
export const resolvers = [...domains, unresolved];
