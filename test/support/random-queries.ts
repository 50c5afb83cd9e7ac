import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
} from 'graphql';

export interface QuerySources {
  readonly seed: number;
  readonly storeIds: readonly string[];
  readonly merchantIds: readonly string[];
  readonly orderIds: readonly string[];
  readonly externalIds: readonly string[];
}

interface RandomQuery {
  readonly text: string;
  readonly variables: Readonly<Record<string, unknown>>;
  /** Null for a document of one operation without a name. */
  readonly operationName: string | null;
}

interface GeneratorOptions {
  readonly isMixed?: boolean;
  readonly isCacheable?: boolean;
  /** Whether a field may be selected; without it any may be. */
  readonly isSelectable?: (field: GraphQLField<unknown, unknown>) => boolean;
}

const maxDepth = 6;
/** Lists within lists, whose sizes multiply. */
const maxLists = 3;
/** Validation rejects more of them in introspection. */
const maxIntrospectionLists = 2;
/** Positions in the event log are times. */
const changing = new Set(['orderEventsCursor']);

const hasDirective = ({ astNode }: GraphQLField<unknown, unknown>, directive: string) =>
  astNode?.directives?.some(({ name }) => name.value === directive) ?? false;

const filters = [
  {},
  { statuses: ['PENDING', 'READY'] },
  { isCompleted: true },
  { customerName: 'ana' },
  { phoneNumber: '7', isCompleted: false },
];

/** Of the directives of fields whose responses are cached. */
const cachedFields = ['ofConfiguration', 'ofOrders', 'ofStore'];

/**
 * Generates valid queries, the same ones for the same seed: with one root field, or with several, introspection, `@skip`, `@include`, variables with
 * defaults, null or absent, and a second operation, which need not be the one that is executed. Some have responses that are cached, or all if
 * `isCacheable`, which then have one root field and neither introspection nor directives.
 */
export function createQueryGenerator(
  schema: GraphQLSchema,
  sources: QuerySources,
  { isMixed = false, isCacheable = false, isSelectable = () => true }: GeneratorOptions = {},
): () => RandomQuery {
  const idsOf: Readonly<Record<string, readonly string[]>> = { merchant: sources.merchantIds, order: sources.orderIds };
  const random = createRandom(sources.seed);
  const chance = (probability: number) => random() < probability;
  const pick = <T>(values: readonly T[]) => values[Math.floor(random() * values.length)] as T;

  return () => {
    const variables: Record<string, unknown> = {};
    const declarations: string[] = [];
    const fragments: {
      readonly type: string;
      readonly lists: number;
      readonly depth: number;
      readonly text: string;
    }[] = [];
    const isCached = isCacheable || chance(0.4);
    let aliases = 0;

    const valueFor = (type: GraphQLInputType, field: string, name: string): unknown => {
      if (!isNonNullType(type)) return chance(0.05) ? null : presentValue(type, field, name);
      return presentValue(type.ofType, field, name);
    };

    const presentValue = (type: GraphQLInputType, field: string, name: string): unknown => {
      if (isListType(type)) {
        return Array.from({ length: Math.floor(random() * 3) }, () => valueFor(type.ofType, field, name));
      }
      if (isEnumType(type)) return pick(type.getValues()).name;
      switch (getNamedType(type).name) {
        case 'ID':
          return chance(0.03) ? 'no such' : pick(idsOf[field] ?? sources.storeIds);
        case 'DateTime':
          return pick(['2026-03-14T19:00:00Z', '2026-03-15', '2026-03-09T00:30:00.123+02:00']);
        case 'OrderFilter':
          return pick(filters);
        case 'Boolean':
          return chance(0.5);
        case 'Int':
        case 'SafeInt':
          return Math.floor(random() * 4);
        default:
          if (field === '__type') return pick([...Object.keys(schema.getTypeMap()), 'NoSuch']);
          if (name === 'languages') return pick(['en', 'pt-BR', 'es_es', 'xx']);
          if (name === 'after' || name === 'before') return null;
          return chance(0.9) ? pick(sources.externalIds) : 'no such';
      }
    };

    const argument = (field: string, arg: GraphQLArgument): string => {
      const { name, type } = arg;
      const variable = `v${declarations.length}`;
      const mayBeAbsent = isMixed && !isRequiredArgument(arg);
      // A variable that may be null, where null is an error and absence is not.
      const nullable = mayBeAbsent && isNonNullType(type) && chance(0.7) ? type.ofType : type;
      declarations.push(`$${variable}: ${nullable}${mayBeAbsent && chance(0.1) ? defaultOf(type) : ''}`);
      if (mayBeAbsent && (nullable === type ? !isNonNullType(type) : true) && chance(0.3))
        return `${name}: $${variable}`;
      const value = valueFor(nullable, field, name);
      variables[variable] = isMixed && Array.isArray(value) && value.length > 0 && chance(0.3) ? value[0] : value;
      return `${name}: $${variable}`;
    };

    const defaultOf = (type: GraphQLInputType): string => {
      if (isListType(getNullableType(type))) return ' = []';
      return isNonNullType(type) ? '' : ' = null';
    };

    const condition = (probability = 0.1): string => {
      if (!isMixed || isCacheable || !chance(probability)) return '';
      const directive = pick(['skip', 'include']);
      if (chance(0.2)) return ` @${directive}(if: ${chance(0.5)})`;
      const variable = `v${declarations.length}`;
      declarations.push(`$${variable}: Boolean${chance(0.5) ? '!' : ' = true'}`);
      if (declarations.at(-1)?.endsWith('!') || chance(0.5)) variables[variable] = chance(0.5);
      else if (chance(0.05)) variables[variable] = null;
      return ` @${directive}(if: $${variable})`;
    };

    const fieldText = (field: GraphQLField<unknown, unknown>, depth: number, lists: number): string => {
      const given = field.args.filter(
        arg => isRequiredArgument(arg) || (chance(0.25) && !(isCached && arg.name === 'availableAt')),
      );
      const args = given.length > 0 ? `(${given.map(arg => argument(field.name, arg)).join(', ')})` : '';
      const alias = field.args.length > 0 || chance(0.15) ? `a${aliases++}: ` : '';
      const type = getNamedType(field.type);
      const isList = isListType(isNonNullType(field.type) ? field.type.ofType : field.type);
      const below = isObjectType(type) ? ` { ${selections(type, depth - 1, lists - (isList ? 1 : 0))} }` : '';
      return `${alias}${field.name}${args}${condition()}${below}`;
    };

    const selections = (type: GraphQLObjectType, depth: number, lists: number): string => {
      const all = Object.values(type.getFields()).filter(field => {
        if (
          changing.has(field.name) ||
          !isSelectable(field) ||
          (isCached && !cachedFields.some(name => hasDirective(field, name)))
        )
          return false;
        if (!isObjectType(getNamedType(field.type))) return true;
        return depth > 1 && (lists > 0 || !isListType(isNonNullType(field.type) ? field.type.ofType : field.type));
      });
      const parts = chance(0.2) || all.length === 0 ? ['__typename'] : [];
      for (let count = 1 + Math.floor(random() * 4); count > 0 && all.length > 0; count--) {
        const field = pick(all);
        const text = fieldText(field, depth, lists);
        parts.push(text);
        // Equal response keys are merged.
        if (field.args.length === 0 && chance(0.1)) parts.push(fieldText(field, depth, lists));
      }
      const known = fragments.find(
        fragment => fragment.type === type.name && fragment.depth <= depth && fragment.lists <= lists,
      );
      if (known && chance(0.5))
        parts.splice(Math.floor(random() * parts.length), 0, `...F${fragments.indexOf(known)}${condition()}`);
      const text = parts.join(' ');
      if (chance(0.1)) return `... on ${type.name}${condition(0.3)} { ${text} }`;
      if (chance(0.1)) return `...${condition(0.3)} { ${text} } ${parts[0]}`;
      if (chance(0.15)) {
        fragments.push({ type: type.name, lists, depth, text });
        return `...F${fragments.length - 1}${condition(0.3)}`;
      }
      return text;
    };

    const roots = schema.getQueryType()?.getFields() ?? {};
    const rootNames = ['store', 'store', 'stores', 'merchant', 'merchants', 'order'].filter(name => {
      const field = roots[name];
      return field && isSelectable(field);
    });
    const rootText = () => {
      if (isMixed && !isCacheable && chance(0.05)) return '__typename';
      if (isMixed && !isCacheable && chance(0.1))
        return fieldText(pick([SchemaMetaFieldDef, TypeMetaFieldDef]), maxDepth, maxIntrospectionLists);
      const root = roots[isCached ? 'store' : pick(rootNames)];
      if (!root) throw new Error('The graph has no such root field');
      return fieldText(root, maxDepth, maxLists);
    };
    const bodyText = () =>
      Array.from({ length: isMixed && !isCacheable ? 1 + Math.floor(random() * 3) : 1 }, rootText).join(' ');
    const bodies = Array.from({ length: isMixed && chance(0.3) ? 2 : 1 }, bodyText);
    const names = bodies.length > 1 || (isMixed && chance(0.2)) ? ['A', 'B'] : [];
    const operations = bodies.map((body, index) => {
      const used = variablesIn(body, fragments);
      const declared = declarations.filter((_, at) => used.has(`v${at}`));
      // Another default is that of another operation.
      const head = declared.length > 0 ? `(${declared.join(', ')})`.replaceAll('= true', `= ${index === 0}`) : '';
      return `query ${names[index] ?? ''}${head} { ${body} }`;
    });
    const definitions = fragments.map(({ type, text }, index) => `fragment F${index} on ${type} { ${text} }`);
    const operationName = names[bodies.length > 1 && chance(0.5) ? 1 : 0] ?? null;
    return { text: [...operations, ...definitions].join('\n'), variables, operationName };
  };
}

/** The variables of a selection and of the fragments that it spreads. */
function variablesIn(text: string, fragments: readonly { readonly text: string }[]): Set<string> {
  const used = new Set([...text.matchAll(/\$(v\d+)/g)].map(([, name = '']) => name));
  for (const [, index] of text.matchAll(/\.\.\.F(\d+)/g)) {
    const fragment = fragments[Number(index)];
    for (const name of fragment ? variablesIn(fragment.text, fragments) : []) used.add(name);
  }
  return used;
}

/** mulberry32 */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
