import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf } from '@carte/base/errors';
import { LazyJsonArray } from '@carte/base/lazy-json';
import type { EntityMetadata, EntityProperty, EntitySchema } from '@mikro-orm/core';
import { type EntityManager, type QueryBuilder, raw } from '@mikro-orm/postgresql';
import { CompiledQuery } from 'kysely';
import { type AccessScope, isInScope, type ScopeRules, scopeCondition } from '../scope.ts';

/** Runs a statement with parameters; rows are objects by column name or, with the row mode `array`, arrays of values. */
export type Query = <Row>(text: string, values: readonly unknown[], rowMode?: 'array') => Promise<Row[]>;

const nameLength = 'carte_'.length + 16;
const nameComment = /^ \/\* (carte_[\w-]{16}) \*\/$/;

/**
 * Marks a statement as prepared: its trailing comment is the name under which each connection parses and plans it once, also
 * when Kysely sends it, which has no option for a name (database/client.ts). For statements whose plan suits all values.
 */
export function prepared(text: string): string {
  return `${text} /* carte_${hash('sha1', text, 'base64url').slice(0, 16)} */`;
}

export const statementName = (text: string): string | undefined =>
  text.endsWith(' */') ? nameComment.exec(text.slice(-nameLength - 7))?.[1] : undefined;

/** Prepares the first `maxStatements` distinct texts; later ones are planned at every execution. */
export function preparedFirst(maxStatements: number): (text: string) => string {
  const known = new Map<string, string>();
  return text => {
    const statement = known.get(text) ?? (known.size < maxStatements ? prepared(text) : text);
    if (statement !== text) known.set(text, statement);
    return statement;
  };
}

/** Memoizes a statement, or a part of one, that is built from entity metadata, once per ORM. */
export function compileOnce<Part>(build: (em: EntityManager) => Part): (em: EntityManager) => Part {
  const built = new WeakMap<object, Part>();
  return em => {
    const part = built.get(em.getMetadata()) ?? build(em);
    built.set(em.getMetadata(), part);
    return part;
  };
}

/** A row of an entity as a statement returns it: absent values are null. */
export type EntityRow<Entity> = {
  readonly [Property in keyof Entity & string]-?: Exclude<Entity[Property], undefined>;
};

/** Runs statements in the entity manager's transaction. */
export function queryIn(em: EntityManager): Query {
  return async <Row>(text: string, values: readonly unknown[]) => {
    const { rows } = await em.getKysely().executeQuery(CompiledQuery.raw(text, [...values]) as CompiledQuery<Row>);
    return rows;
  };
}

const conflicts = new Set<unknown>(['40001', '40P01']);
const maxAttempts = 4;
const maxDelayMs = 100;

/**
 * Retries a transaction that PostgreSQL aborted with a deadlock or a serialization failure. Only for transactions that read all
 * they depend on inside themselves, so that each attempt starts afresh.
 */
export async function retryTransaction<T>(transaction: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transaction();
    } catch (error) {
      if (attempt === maxAttempts || !conflicts.has(codeOf(error))) throw error;
      // Full jitter, so that the transactions that conflicted do not conflict again.
      await sleep(Math.random() * maxDelayMs);
    }
  }
}

/** The n-th parameter of a compiled query, and `any` of it where it is an array. */
export const parameter = (n: number) => raw(`$${n}`);
export const anyOf = (n: number) => raw(`any($${n})`);

/** The selected properties of an entity; columns and their names come from its definition. */
export interface SelectionOptions<Entity, Joined> {
  readonly entity: EntitySchema;
  /** Defaults to all properties but collections and the lazy ones. */
  readonly fields?: readonly string[];
  /** Lazy properties to select as well. */
  readonly lazyFields?: readonly string[];
  /** Properties with arrays of JSON objects, to be read as `LazyJsonArray`. */
  readonly lazyJson?: readonly string[];
  /** A to-one relation to join and select. */
  readonly join?: {
    readonly relation: string;
    readonly entity: EntitySchema;
    readonly fields?: readonly [string, ...string[]];
    /** Attaches the joined entity: even a DataLoader hit would be a promise for each entity of a list. */
    readonly attach: (entity: Entity, joined: Joined | null) => void;
  };
  readonly scope: SelectionScope<Entity>;
}

/** Scope rules of the entity itself, or of the one at the end of a relation. */
export interface SelectionScope<Entity> {
  readonly rules: ScopeRules;
  readonly relation?: string;
  /** The object that the rules apply to; defaults to the entity itself. */
  readonly subjectOf?: (entity: Entity) => object | undefined;
  /** A further condition on the entity itself. */
  readonly isIncluded?: (scope: AccessScope, entity: Entity) => boolean;
}

// biome-ignore lint/suspicious/noExplicitAny: the entity is known at run time only
type AnyBuilder = QueryBuilder<any, any, any, any, any, any, any>;

export interface QueryOptions {
  /** Number of parameters that `build` uses. */
  readonly parameters: number;
  readonly build: (qb: AnyBuilder) => unknown;
  /** False for a query whose best plan depends on the values. */
  readonly prepare?: boolean;
}

/** Runs a compiled query and returns the entities in scope. */
export type EntityQuery<Entity> = (
  query: Query,
  scope: AccessScope,
  values: readonly unknown[],
) => Promise<readonly Entity[]>;

/** Compiles queries for an entity: MikroORM builds each SQL text once, and maps the rows. */
export class Selection<Entity extends object, Joined extends object = never> {
  readonly #em: EntityManager;
  readonly #options: SelectionOptions<Entity, Joined>;
  readonly #map: (row: RowValues, from: number) => Entity;
  readonly #own: readonly EntityProperty[];
  #text: string | undefined;
  readonly #mapJoined: ((row: RowValues, from: number) => Joined) | undefined;

  constructor(em: EntityManager, options: SelectionOptions<Entity, Joined>) {
    this.#em = em;
    this.#options = options;
    const { entity, fields, lazyFields = [], lazyJson, join } = options;
    this.#own = [...propertiesOf(em, entity, fields), ...propertiesOf(em, entity, lazyFields)];
    this.#map = mapperOf(em, entity, this.#own, lazyJson);
    this.#mapJoined = join && mapperOf(em, join.entity, propertiesOf(em, join.entity, join.fields));
  }

  compile(options: QueryOptions): EntityQuery<Entity> {
    const run = this.#compileInScope(options, () => this.#select());
    return async (query, callerScope, values) => {
      const rows = await run(query, callerScope, values);
      // Rows that join the same entity share one object, so that it is rendered once.
      const joined = new Map<unknown, Joined>();
      return rows.map(row => this.map(row, 0, joined));
    };
  }

  /** Compiles a query that counts the entities in scope. */
  compileCount(options: QueryOptions) {
    const createBuilder = () => this.#em.createQueryBuilder(this.#options.entity, 'e').select(raw('count(*)::int'));
    const run = this.#compileInScope(options, createBuilder);
    return async (query: Query, callerScope: AccessScope, values: readonly unknown[]): Promise<number> =>
      Number((await run(query, callerScope, values))[0]?.[0]);
  }

  /** Builds two texts lazily, since an unrestricted scope needs no condition. */
  #compileInScope({ parameters, build, prepare = true }: QueryOptions, createBuilder: () => AnyBuilder) {
    const { scope } = this.#options;
    const text = (isAll: boolean) => {
      const qb = createBuilder();
      build(qb);
      const condition = scopeCondition(scope.rules, (_list, index) => anyOf(parameters + index + 1));
      if (!isAll) qb.andWhere(scope.relation ? { [scope.relation]: condition } : condition);
      const formatted = qb.getFormattedQuery();
      return prepare ? prepared(formatted) : formatted;
    };
    const texts = new Map<boolean, string>();
    return (query: Query, callerScope: AccessScope, values: readonly unknown[]): Promise<RowValues[]> => {
      const lists = callerScope.all ? [] : scope.rules.map(({ list }) => callerScope[list]);
      const compiled = texts.get(callerScope.all) ?? text(callerScope.all);
      texts.set(callerScope.all, compiled);
      return query<RowValues>(compiled, [...values, ...lists], 'array');
    };
  }

  /** Whether an entity that was read in the union of several scopes is in one of them. */
  isInScope(callerScope: AccessScope, entity: Entity): boolean {
    const { rules, subjectOf, isIncluded = () => true } = this.#options.scope;
    const subject = subjectOf ? subjectOf(entity) : entity;
    return subject !== undefined && isInScope(rules, callerScope, subject) && isIncluded(callerScope, entity);
  }

  /** SQL that selects all entities, for use in hand-written statements. */
  get text(): string {
    this.#text ??= this.#select().getFormattedQuery();
    return this.#text;
  }

  /** Maps a row whose columns from index `from` on are those of `text`. */
  map(row: RowValues, from = 0, known = new Map<unknown, Joined>()): Entity {
    const entity = this.#map(row, from);
    const { join } = this.#options;
    if (!join || !this.#mapJoined) return entity;
    const joinedFrom = from + this.#own.length;
    // The first column of a joined entity is its primary key; null means no match.
    const key = row[joinedFrom];
    const joined = key === null ? null : (known.get(key) ?? this.#mapJoined(row, joinedFrom));
    if (joined) known.set(key, joined);
    join.attach(entity, joined);
    return entity;
  }

  #select(): AnyBuilder {
    const { entity, lazyJson, join } = this.#options;
    // Not `*`: a prepared statement breaks when its result columns change.
    const names = this.#own.map(({ name, fieldNames: [column] }) =>
      lazyJson?.includes(name) ? raw(`e.${column}::text as ${column}`) : name,
    );
    const qb: AnyBuilder = this.#em.createQueryBuilder(entity, 'e').select(names);
    if (join) qb.leftJoinAndSelect(`e.${join.relation}`, 'j', {}, join.fields);
    return qb;
  }
}

type RowValues = readonly unknown[];

const metadataOf = (em: EntityManager, entity: EntitySchema): EntityMetadata => em.getMetadata().get(entity.meta.class);

function propertiesOf(em: EntityManager, entity: EntitySchema, fields?: readonly string[]): EntityProperty[] {
  const { props, properties } = metadataOf(em, entity);
  // A collection has no column.
  if (!fields) return props.filter(({ lazy, fieldNames }) => !lazy && fieldNames);
  return fields.map(name => {
    const property = properties[name];
    if (!property) throw new Error(`${entity.meta.className} has no property ${name}`);
    return property;
  });
}

/** MikroORM's compiled mapper. It applies no custom types, so the parsers of `database/pool.ts` do. */
function mapperOf<Entity>(
  em: EntityManager,
  entity: EntitySchema,
  properties: readonly EntityProperty[],
  lazyJson: readonly string[] = [],
) {
  const driver = em.getDriver();
  const metadata = metadataOf(em, entity);
  const columns = properties.map(({ fieldNames }) => String(fieldNames[0]));
  // Copied from a template rather than built property by property: a third of the time.
  const empty = Object.fromEntries(columns.map(column => [column, null]));
  const listColumns = properties.filter(({ name }) => lazyJson.includes(name)).map(({ fieldNames }) => fieldNames[0]);
  return (row: RowValues, from: number): Entity => {
    const values: Record<string, unknown> = { ...empty };
    for (let index = 0; index < columns.length; index++) values[columns[index] ?? ''] = row[from + index];
    for (const column of listColumns) values[column ?? ''] = new LazyJsonArray(String(values[column ?? '']));
    return driver.mapResult(values, metadata) as Entity;
  };
}
