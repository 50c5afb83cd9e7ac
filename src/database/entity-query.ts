import type { EntityMetadata, EntityProperty, EntitySchema } from '@mikro-orm/core';
import { type EntityManager, type QueryBuilder, raw } from '@mikro-orm/postgresql';
import { type AccessScope, isInScope, type ScopeRules, scopeCondition } from '../auth/scope.ts';
import { prepared, type Query } from './query.ts';

/** The n-th parameter of a compiled query, and any member of the list that is the n-th. */
export const parameter = (n: number) => raw(`$${n}`);
export const anyOf = (n: number) => raw(`any($${n})`);

/** What is selected of an entity; columns and their names come from its definition. */
export interface SelectionOptions<Entity, Joined> {
  readonly entity: EntitySchema;
  /** Properties; all but the lazy ones unless given. */
  readonly fields?: readonly string[];
  /** Lazy properties to select as well. */
  readonly lazyFields?: readonly string[];
  /** A to-one relation that is selected along. */
  readonly join?: {
    readonly relation: string;
    readonly entity: EntitySchema;
    readonly fields?: readonly [string, ...string[]];
    /** Puts what was joined on the entity: a loader would give it as a promise, for each entity of a list. */
    readonly attach: (entity: Entity, joined: Joined | null) => void;
  };
  readonly scope: SelectionScope<Entity>;
}

/** Who may see an entity: rules about the entity itself, or about one that a relation leads to. */
export interface SelectionScope<Entity> {
  readonly rules: ScopeRules;
  readonly relation?: string;
  /** What the rules are about, of an entity that has been read; the entity itself unless given. */
  readonly subjectOf?: (entity: Entity) => object | undefined;
}

// biome-ignore lint/suspicious/noExplicitAny: which entity it is for is known at run time alone
type AnyBuilder = QueryBuilder<any, any, any, any, any, any, any>;

export interface QueryOptions {
  /** How many parameters `build` uses: `$1` up to this one. */
  readonly parameters: number;
  readonly build: (qb: AnyBuilder) => unknown;
  /** Where the best plan depends on the values. */
  readonly isPlannedAnew?: boolean;
}

/** Runs a compiled query for the entities in scope. */
export type EntityQuery<Entity> = (
  query: Query,
  scope: AccessScope,
  values: readonly unknown[],
) => Promise<readonly Entity[]>;

/** Compiles queries for an entity: MikroORM builds their texts once, and maps their rows. */
export class Selection<Entity extends object, Joined extends object = never> {
  readonly #em: EntityManager;
  readonly #options: SelectionOptions<Entity, Joined>;
  readonly #map: (row: Row, from: number) => Entity;
  readonly #columnCount: number;
  #text: string | undefined;
  readonly #mapJoined: ((row: Row, from: number) => Joined) | undefined;

  constructor(em: EntityManager, options: SelectionOptions<Entity, Joined>) {
    this.#em = em;
    this.#options = options;
    const { entity, join } = options;
    const own = this.#properties();
    this.#columnCount = own.length;
    this.#map = mapperOf(em, entity, own);
    this.#mapJoined = join && mapperOf(em, join.entity, propertiesOf(em, join.entity, join.fields));
  }

  /** Two texts, since a scope of everything needs no condition; each is built when it is first used. */
  compile({ parameters, build, isPlannedAnew = false }: QueryOptions): EntityQuery<Entity> {
    const { scope } = this.#options;
    const text = (isAll: boolean) => {
      const qb = this.#select();
      build(qb);
      const condition = scopeCondition(scope.rules, (_list, index) => anyOf(parameters + index + 1));
      if (!isAll) qb.andWhere(scope.relation ? { [scope.relation]: condition } : condition);
      const formatted = qb.getFormattedQuery();
      return isPlannedAnew ? formatted : prepared(formatted);
    };
    const texts = new Map<boolean, string>();
    return async (query, callerScope, values) => {
      const lists = callerScope.all ? [] : scope.rules.map(({ list }) => callerScope[list]);
      const compiled = texts.get(callerScope.all) ?? text(callerScope.all);
      texts.set(callerScope.all, compiled);
      const rows = await query<Row>(compiled, [...values, ...lists], 'array');
      // Rows that are joined with the same entity share its object, which is then rendered once.
      const joined = new Map<unknown, Joined>();
      return rows.map(row => this.map(row, 0, joined));
    };
  }

  /** Whether an entity that was read for several callers is in the scope of one of them. */
  isInScope(callerScope: AccessScope, entity: Entity): boolean {
    const { rules, subjectOf } = this.#options.scope;
    const subject = subjectOf ? subjectOf(entity) : entity;
    return subject !== undefined && isInScope(rules, callerScope, subject);
  }

  /** The text that selects all of the entities, for statements that are written by hand. */
  get text(): string {
    this.#text ??= this.#select().getFormattedQuery();
    return this.#text;
  }

  /** Maps a row whose columns from `from` on are those of the text. */
  map(row: Row, from = 0, known = new Map<unknown, Joined>()): Entity {
    const entity = this.#map(row, from);
    const { join } = this.#options;
    if (!join || !this.#mapJoined) return entity;
    const joinedFrom = from + this.#columnCount;
    // The first column of a joined entity is its primary key, which is null where nothing was joined.
    const key = row[joinedFrom];
    const joined = key === null ? null : (known.get(key) ?? this.#mapJoined(row, joinedFrom));
    if (joined) known.set(key, joined);
    join.attach(entity, joined);
    return entity;
  }

  #properties(): EntityProperty[] {
    const { entity, fields, lazyFields = [] } = this.#options;
    return [...propertiesOf(this.#em, entity, fields), ...propertiesOf(this.#em, entity, lazyFields)];
  }

  #select(): AnyBuilder {
    const { entity, join } = this.#options;
    // By name rather than by an asterisk: a prepared statement breaks when its columns change.
    const names = this.#properties().map(({ name }) => name);
    const qb: AnyBuilder = this.#em.createQueryBuilder(entity, 'e').select(names);
    if (join) qb.leftJoinAndSelect(`e.${join.relation}`, 'j', {}, join.fields);
    return qb;
  }
}

type Row = readonly unknown[];

const metadataOf = (em: EntityManager, entity: EntitySchema): EntityMetadata => em.getMetadata().get(entity.meta.class);

function propertiesOf(em: EntityManager, entity: EntitySchema, fields?: readonly string[]): EntityProperty[] {
  const { props, properties } = metadataOf(em, entity);
  if (!fields) return props.filter(property => !property.lazy);
  return fields.map(name => {
    const property = properties[name];
    if (!property) throw new Error(`${entity.meta.className} has no property ${name}`);
    return property;
  });
}

/** MikroORM's compiled mapper. It applies no custom types, which the parsers of `database/types.ts` make needless. */
function mapperOf<Entity>(em: EntityManager, entity: EntitySchema, properties: readonly EntityProperty[]) {
  const driver = em.getDriver();
  const metadata = metadataOf(em, entity);
  const columns = properties.map(({ fieldNames }) => String(fieldNames[0]));
  // Copied rather than grown property by property, as `pg` does for its rows: a third of the time.
  const empty = Object.fromEntries(columns.map(column => [column, null]));
  return (row: Row, from: number): Entity => {
    const values: Record<string, unknown> = { ...empty };
    for (let at = 0; at < columns.length; at++) values[columns[at] ?? ''] = row[from + at];
    return driver.mapResult(values, metadata) as Entity;
  };
}
