import { directiveOf } from '@carte/operations/execution/selected-fields';
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLSchema,
  type GraphQLType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isLeafType,
  isNonNullType,
  isObjectType,
  isUnionType,
} from 'graphql';
import { marked } from 'marked';
import { highlight } from './highlight.ts';
import { Html, html } from './html.ts';

type Field = GraphQLField<unknown, unknown>;

/** The page of a type is at this URL. */
const urlOf = (type: string, field?: string) => `docs/graph/${type}${field === undefined ? '' : `#${field}`}`;

const kinds = [
  ['Objects', isObjectType],
  ['Interfaces and unions', (type: GraphQLNamedType) => isInterfaceType(type) || isUnionType(type)],
  ['Inputs', isInputObjectType],
  ['Enums', isEnumType],
  ['Scalars', isLeafType],
] as const;

/** Renders the reference of the graph: a list of everything, and a page for each type with its fields, permissions, costs and examples. */
export function createGraphReference(schema: GraphQLSchema) {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].filter(type => !!type);
  const rootNames = new Set<string>(roots.map(({ name }) => name));
  const types = Object.values(schema.getTypeMap())
    .filter(({ name }) => !name.startsWith('__') && !rootNames.has(name))
    .sort((one, other) => one.name.localeCompare(other.name));
  const groups = kinds.map(([title]) => ({ title, types: types.filter(type => groupOf(type) === title) }));
  const users = usersOf([...roots, ...types]);

  const renderNav = (current?: string) => html`<nav id="routes" aria-label="Types">
        ${[{ title: 'Operations', types: roots }, ...groups].map(
          ({ title, types }) =>
            html`<h2>${title}</h2><ul>${types.map(({ name }) => {
              const state = name === current && html` aria-current="page"`;
              return html`<li><a href="${urlOf(name)}"${state}>${name}</a></li>`;
            })}</ul>`,
        )}
      </nav>`;

  return {
    index: () => ({
      title: 'The graph',
      nav: renderNav(),
      content: html`<h1>The graph</h1>
        <p>What <code>POST /graphql</code> has: each field with who may read it, and what it costs. Start at the
          <a href="guides/front-end">guide for front ends</a>; the <a href="graphql">playground</a> runs the examples.</p>
        ${roots.map(
          root => html`<h2><a href="${urlOf(root.name)}">${root.name}</a></h2>
        <dl>${Object.values(root.getFields()).map(
          field => html`
          <div><dt><a href="${urlOf(root.name, field.name)}"><code>${field.name}</code></a> <span class="small">${linkTo(field.type)}</span></dt>
          <dd>${firstSentence(field.description)}</dd></div>`,
        )}</dl>`,
        )}`,
    }),
    /** The page of a type; undefined if the graph has none of this name. */
    type(name: string) {
      const type = name.startsWith('__') ? undefined : schema.getType(name);
      if (!type) return undefined;
      return { title: name, nav: renderNav(name), content: renderType(schema, type, users.get(name) ?? []) };
    },
    /** The types and fields, for the search. */
    entries: () => [
      { kind: 'Page', title: 'Reference of the graph', url: 'docs/graph', text: 'types, fields, permissions and cost' },
      ...types.map(({ name, description }) => ({
        kind: 'Type',
        title: name,
        url: urlOf(name),
        text: description ?? '',
      })),
      ...[...roots, ...types].flatMap(type =>
        membersOf(type).map(({ name, description }) => ({
          kind: 'Field',
          title: `${type.name}.${name}`,
          url: urlOf(type.name, name),
          text: firstSentence(description),
        })),
      ),
    ],
  };
}

export type GraphReference = ReturnType<typeof createGraphReference>;

const groupOf = (type: GraphQLNamedType) => kinds.find(([, isKind]) => isKind(type))?.[0];

function membersOf(type: GraphQLNamedType): readonly (Field | GraphQLInputField)[] {
  return isObjectType(type) || isInterfaceType(type) || isInputObjectType(type) ? Object.values(type.getFields()) : [];
}

/** The fields that return or take each type. */
function usersOf(types: readonly GraphQLNamedType[]): ReadonlyMap<string, readonly (readonly [string, string])[]> {
  const uses = types.flatMap(type =>
    membersOf(type).flatMap(member =>
      [member.type, ...('args' in member ? member.args.map(argument => argument.type) : [])].map(
        used => [getNamedType(used).name, type.name, member.name] as const,
      ),
    ),
  );
  const byType = Map.groupBy(uses, ([used]) => used);
  return new Map([...byType].map(([used, list]) => [used, list.map(([, type, field]) => [type, field] as const)]));
}

function renderType(
  schema: GraphQLSchema,
  type: GraphQLNamedType,
  users: readonly (readonly [string, string])[],
): Html {
  const isRoot = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].some(
    root => root === type,
  );
  const possible = isUnionType(type) || isInterfaceType(type) ? schema.getPossibleTypes(type) : [];
  return html`<h1>${type.name}</h1>
        <p class="small">${describeKind(type)} <a class="to-nav" href="#routes">All types</a></p>
        ${markdown(type.description)}
        ${possible.length > 0 && html`<p>One of ${join(possible.map(linkTo))}.</p>`}
        ${users.length > 0 && html`<details><summary>Used by ${users.length === 1 ? '1 field' : `${users.length} fields`}</summary><p>${join(users.map(([name, field]) => html`<a href="${urlOf(name, field)}">${name}.${field}</a>`))}</p></details>`}
        ${
          isEnumType(type) &&
          html`<dl>${type
            .getValues()
            .map(
              ({ name, description, deprecationReason }) =>
                html`<div id="${name}"><dt><code>${name}</code></dt><dd>${renderDeprecation(deprecationReason)}${markdown(description)}</dd></div>`,
            )}</dl>`
        }
        ${membersOf(type).length > 0 && html`<h2>Fields</h2>`}
        ${membersOf(type).map(member =>
          'args' in member ? renderField(schema, type, member, isRoot) : renderInputField(member),
        )}`;
}

const describeKind = (type: GraphQLNamedType): string => {
  if (isObjectType(type)) return 'Object';
  if (isInterfaceType(type)) return 'Interface';
  if (isUnionType(type)) return 'Union';
  if (isInputObjectType(type)) return 'Input';
  return isEnumType(type) ? 'Enum' : 'Scalar';
};

function renderField(schema: GraphQLSchema, type: GraphQLNamedType, field: Field, isRoot: boolean): Html {
  const { name, description, args, deprecationReason } = field;
  const example = isRoot && exampleOf(type.name.toLowerCase(), field);
  return html`
        <section class="route" id="${name}">
          <div>
            <h3><code>${name}</code> <a class="anchor" href="#${name}" aria-label="Link to this field">#</a></h3>
            <p>${linkTo(field.type)}</p>
            ${renderDeprecation(deprecationReason)}
            ${markdown(description)}
            <ul class="responses">${[permissionOf(field, isRoot), costOf(schema, field)].map(fact => fact && html`<li>${fact}</li>`)}</ul>
            ${args.length > 0 && html`<h4>Arguments</h4><dl>${args.map(renderArgument)}</dl>`}
          </div>
          <div class="samples">${example && renderExample(example)}</div>
        </section>`;
}

const renderInputField = (field: GraphQLInputField) => html`<dl>${renderArgument(field)}</dl>`;

function renderArgument(argument: GraphQLArgument | GraphQLInputField): Html {
  const { name, type, description, defaultValue, deprecationReason } = argument;
  const fallback = defaultValue !== undefined && `, default ${JSON.stringify(defaultValue)}`;
  return html`
            <div id="${name}"><dt><code>${name}</code> <span class="small">${linkTo(type)}${isNonNullType(type) && fallback === false && ', required'}${fallback}</span></dt>
            <dd>${renderDeprecation(deprecationReason)}${markdown(description)}</dd></div>`;
}

const renderDeprecation = (reason: string | null | undefined) =>
  reason ? html`<p class="bad">Deprecated: ${reason}</p>` : undefined;

/** Who may use a field, by the directives that say it. */
function permissionOf({ extensions }: Field, isRoot: boolean): Html {
  const { permission, ofGuests, readable } = extensions as {
    readonly permission?: string | null;
    readonly ofGuests?: string | null;
    readonly readable?: { readonly with?: string | null; readonly byGuests: boolean; readonly byPlacer: boolean };
  };
  const guests = ofGuests ? html`, or a publishable key with <code>${ofGuests}</code>` : '';
  if (permission) return html`Needs the permission <code>${permission}</code>${guests}.`;
  const by = [
    readable?.with
      ? html`keys with <code>${readable.with}</code>`
      : `any key${isRoot ? '' : ' that can read what leads to it'}`,
    readable?.byPlacer && html`keys with <code>READ_OWN_ORDERS</code>, for their own orders`,
    readable?.byGuests && 'publishable keys',
  ].filter(part => part !== undefined && part !== false);
  return html`Read by ${join(by)}.`;
}

/** What a field costs beside the objects that it returns, and how long its list is taken to be. */
function costOf(schema: GraphQLSchema, field: Field): Html | undefined {
  const { weight } = (directiveOf(schema, 'cost', field) ?? {}) as { readonly weight?: number };
  const size = directiveOf(schema, 'listSize', field) as
    | { readonly assumedSize?: number | null; readonly slicingArguments?: readonly string[] | null }
    | undefined;
  const slicing = size?.slicingArguments?.map(name => html`<code>${name}</code>`) ?? [];
  const parts = [
    weight !== undefined && html`Costs ${weight}.`,
    slicing.length > 0 && html`Counts as many objects as ${join(slicing, 'or')} says.`,
    slicing.length === 0 && !!size?.assumedSize && html`Counts as ${size.assumedSize} objects.`,
  ].filter(part => part !== false);
  return parts.length === 0 ? undefined : html`${parts.map(part => html`${part} `)}`;
}

interface Example {
  readonly query: string;
  readonly variables: string;
}

/** An operation with a root field: its required arguments as variables, and what has no further fields. */
function exampleOf(kind: string, field: Field): Example {
  const required = field.args.filter(({ type, defaultValue }) => isNonNullType(type) && defaultValue === undefined);
  const operation = `${field.name.charAt(0).toUpperCase()}${field.name.slice(1)}`;
  const declared = required.map(({ name, type }) => `$${name}: ${type}`).join(', ');
  const given = required.map(({ name }) => `${name}: $${name}`).join(', ');
  const query = `${kind} ${operation}${declared && `(${declared})`} {\n  ${field.name}${given && `(${given})`}${selectionOf(field.type, 1)}\n}`;
  const values = Object.fromEntries(required.map(({ name, type }) => [name, sampleOf(name, type)]));
  return { query, variables: required.length > 0 ? JSON.stringify(values, null, 2) : '' };
}

/** The first fields that need no argument, down to a level that shows what there is. */
function selectionOf(given: GraphQLType, level: number): string {
  const type = getNamedType(given);
  if (isLeafType(type)) return '';
  const indent = '  '.repeat(level);
  if (!isObjectType(type) && !isInterfaceType(type)) return ` {\n${indent}  __typename\n${indent}}`;
  const open = Object.values(type.getFields()).filter(
    ({ args, deprecationReason }) => args.every(({ type }) => !isNonNullType(type)) && !deprecationReason,
  );
  const leaves = open.filter(field => isLeafType(getNamedType(field.type))).slice(0, 5);
  const nested = open.filter(field => !isLeafType(getNamedType(field.type))).slice(0, leaves.length > 1 ? 0 : 1);
  const lines = [
    ...leaves.map(({ name }) => name),
    ...(level < 4 ? nested.map(({ name, type }) => `${name}${selectionOf(type, level + 1)}`) : []),
  ];
  return ` {\n${(lines.length > 0 ? lines : ['__typename']).map(line => `${indent}  ${line}`).join('\n')}\n${indent}}`;
}

const samples: Readonly<Record<string, unknown>> = {
  Int: 1,
  SafeInt: 100,
  Float: 1,
  Boolean: true,
  DateTime: '2026-03-01T18:30:00.000Z',
  Date: '2026-12-24',
  StringMap: { en: 'Text' },
};

/** A value of a type: identifiers as in the demo, and what an input needs. */
function sampleOf(name: string, given: GraphQLType): unknown {
  const type = isNonNullType(given) ? given.ofType : given;
  if ('ofType' in type) return [sampleOf(name, type.ofType)];
  if (/^store(Id)?$/.test(name)) return 'lisbon-baixa';
  if (isEnumType(type)) return type.getValues()[0]?.name;
  if (isInputObjectType(type)) {
    const needed = Object.values(type.getFields()).filter(
      ({ type, defaultValue }) => isNonNullType(type) && defaultValue === undefined,
    );
    return Object.fromEntries(needed.map(field => [field.name, sampleOf(field.name, field.type)]));
  }
  return samples[type.name] ?? name;
}

function renderExample({ query, variables }: Example): Html[] {
  const link = `graphql#${new URLSearchParams({ query, variables })}`;
  const code = (text: string, language: string) =>
    html`<pre tabindex="0"><code>${new Html(highlight(text, language))}</code></pre>`;
  return [
    html`<h4>Example</h4>${code(query, 'graphql')}`,
    html`${variables !== '' && html`<h4>Variables</h4>${code(variables, 'json')}`}`,
    html`<p><a class="button" href="${link}">Open in playground</a></p>`,
  ];
}

/** A type as it is written in the graph, with a link to its page. */
function linkTo(type: GraphQLType): Html {
  const { name } = getNamedType(type);
  const [before = '', after = ''] = String(type).split(name);
  return html`<code>${before}<a href="${urlOf(name)}">${name}</a>${after}</code>`;
}

/** Lists parts, the last one after a word. */
function join(parts: readonly (Html | string)[], word = 'and'): Html {
  const separators = parts.map((_part, index) => (index === parts.length - 1 ? ` ${word} ` : ', '));
  return html`${parts.map((part, index) => html`${index > 0 && separators[index]}${part}`)}`;
}

const markdown = (text: string | null | undefined) =>
  text ? new Html(marked.parse(text, { async: false })) : undefined;

const firstSentence = (text: string | null | undefined) =>
  (/^.*?\.(?=\s|$)/s.exec(text ?? '')?.[0] ?? text ?? '').replaceAll(/\s+/g, ' ').replaceAll('`', '');
