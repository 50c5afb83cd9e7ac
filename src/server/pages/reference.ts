import type { Operation } from '@carte/operations/contract/contract';
import type { Json } from '@carte/operations/openapi/schemas';
import { print } from 'graphql';
import { marked } from 'marked';
import { samplesOf } from '../../../web/playground/samples.ts';
import { highlight } from './highlight.ts';
import { Html, html } from './html.ts';

/** The parts of our OpenAPI documents that the reference shows. */
interface OpenApi {
  readonly info: { readonly title: string; readonly description?: string };
  readonly tags?: readonly { readonly name: string; readonly description?: string }[];
  readonly paths?: Readonly<Record<string, Readonly<Record<string, RouteObject>>>>;
  readonly webhooks?: Readonly<Record<string, { readonly post: RouteObject }>>;
  readonly components?: {
    readonly responses?: Readonly<Record<string, ResponseObject>>;
    readonly schemas?: Readonly<Record<string, Schema>>;
  };
}

interface RouteObject {
  readonly tags: readonly string[];
  readonly operationId: string;
  readonly summary?: string;
  readonly description?: string;
  readonly deprecated?: boolean;
  readonly parameters?: readonly ParameterObject[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, ResponseObject>>;
}

interface ParameterObject {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly deprecated?: boolean;
  readonly schema?: Schema;
}

interface Content {
  readonly content?: { readonly 'application/json'?: { readonly schema: Schema; readonly example?: unknown } };
}

interface ResponseObject extends Content {
  readonly $ref?: string;
  readonly description?: string;
}

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly deprecated?: boolean;
  readonly enum?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly additionalProperties?: Schema | boolean;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly default?: unknown;
}

interface Route extends RouteObject {
  readonly method: string;
  readonly path: string;
  /** Of its section, for links. */
  readonly id: string;
}

/** The address that the script of the page replaces by that of this server, as in guides. */
const origin = 'http://127.0.0.1:4000';

/** The routes of a document. */
export function routesOf(document: Json): Route[] {
  const { paths = {} } = document as unknown as OpenApi;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, route]): Route => {
      const tag = (route.tags[0] ?? '').toLowerCase();
      return { ...route, method: method.toUpperCase(), path, id: `tag/${tag}/${method.toUpperCase()}${path}` };
    }),
  );
}

/** Renders a document: its routes by tag with samples, then its types and the responses that routes share. */
export function renderReference(document: Json, operations: readonly Operation[]) {
  const { info, tags = [], webhooks = {}, components = {} } = document as unknown as OpenApi;
  const { responses = {}, schemas = {} } = components;
  const routes = routesOf(document);
  const messages = Object.entries(webhooks).map(([id, { post }]) => ({ ...post, id: `message/${id}` }));
  const named = new Set(tags.map(({ name }) => name));
  const others = routes.filter(({ tags: [tag] }) => tag === undefined || !named.has(tag));
  const groups = [
    ...tags.flatMap(tag => {
      const ofTag = routes.filter(route => route.tags[0] === tag.name);
      return ofTag.length > 0 ? [{ ...tag, routes: ofTag }] : [];
    }),
    ...(others.length > 0 ? [{ name: 'Routes', description: '', routes: others }] : []),
  ];

  /** The name of a type is a link to its section. */
  const typeOf = ({ $ref, type = 'any', format, items, anyOf, additionalProperties }: Schema): Html => {
    const name = nameOf($ref);
    if (name !== undefined) return html`<a href="#type/${name}">${name}</a>`;
    if (items) return html`array of ${typeOf(items)}`;
    if (anyOf) return html`${anyOf.map((schema, index) => html`${index > 0 && ' or '}${typeOf(schema)}`)}`;
    if (typeof additionalProperties === 'object') return html`object with values ${typeOf(additionalProperties)}`;
    return html`${type}${format === 'date-time' && ', date-time'}`;
  };

  const renderField = (name: string, schema: Schema, facts: readonly (string | false | undefined)[]) => html`
    <div><dt><code>${name}</code> <span class="small">${typeOf(schema)}${facts.map(fact => fact && `, ${fact}`)}</span>${mark(schema)}</dt>
    <dd>${markdown(schema.description)}</dd></div>`;

  const renderSchema = ({ properties, required = [], enum: values }: Schema) => [
    values && html`<p>${values.map((value, index) => html`${index > 0 && ', '}<code>${value}</code>`)}</p>`,
    properties &&
      html`<dl>${Object.entries(properties).map(([name, schema]) =>
        renderField(name, schema, [required.includes(name) && 'required', ...boundsOf(schema)]),
      )}</dl>`,
  ];

  /** A body: the name of its type, and the fields of it. */
  const renderBody = (title: string, { content }: Content) => {
    const schema = content?.['application/json']?.schema;
    if (!schema) return undefined;
    const name = nameOf(schema.$ref ?? schema.items?.$ref) ?? '';
    const shown = schemas[name];
    return html`<details><summary>${title} <span class="small">${schema.items && 'array of '}${name}</span></summary>${shown && renderSchema(shown)}</details>`;
  };

  const renderRoute = (route: Route) => {
    const { id, summary, operationId, method, path, parameters = [], requestBody } = route;
    const operation = operations.find(({ name }) => name === operationId);
    const { 200: success, ...failures } = route.responses;
    const example = success?.content?.['application/json']?.example;
    return html`
        <section class="route" id="${id}">
          <div>
            <h3>${summary ?? operationId} <a class="anchor" href="#${id}" aria-label="Link to this route">#</a></h3>
            <p class="path">${badge(method)} <code>${path}</code>${mark(route)}</p>
            <p class="actions"><button type="button" class="main try" aria-expanded="false">Try it</button>
            ${operation && html`<a class="button quiet" href="${playgroundUrl(operation)}">Open in playground</a>`}</p>
            ${markdown(route.description)}
            ${parameters.length > 0 && html`<h4>Parameters</h4><dl>${parameters.map(renderParameter)}</dl>`}
            ${requestBody && renderBody('Body', requestBody)}
            ${success && renderBody('Response', success)}
            <h4>Other responses</h4>
            <ul class="responses">${Object.entries(failures).map(([status, { $ref, description }]) => {
              const name = nameOf($ref);
              return html`<li>${name === undefined ? status : html`<a href="#response/${name}">${status}</a>`} ${responses[name ?? '']?.description ?? description}</li>`;
            })}</ul>
          </div>
          <div class="samples">
            ${operation && renderSamples(operation)}
            ${example !== undefined && [html`<h4>200</h4>`, renderExample(example)]}
          </div>
        </section>`;
  };

  const renderMessage = (message: RouteObject & { id: string }) => {
    const { id, summary, operationId, description, requestBody = {} } = message;
    const example = requestBody.content?.['application/json']?.example;
    return html`
        <section class="route" id="${id}">
          <div>
            <h3>${summary ?? operationId} <a class="anchor" href="#${id}" aria-label="Link to this message">#</a></h3>
            <p class="path">webhook <code>${operationId}</code>${mark(message)}</p>
            ${markdown(description)}
            ${renderBody('Body', requestBody)}
          </div>
          <div class="samples">${example !== undefined && renderExample(example)}</div>
        </section>`;
  };

  const renderParameter = ({ name, in: place, required, description, deprecated, schema = {} }: ParameterObject) =>
    renderField(
      name,
      { ...schema, ...(description !== undefined && { description }), ...(deprecated && { deprecated }) },
      [place, required && 'required', ...boundsOf(schema)],
    );

  const inline = new Set(routes.flatMap(({ requestBody, responses }) => [requestBody, responses[200]]).map(rootOf));
  const referenced = new Set(Object.values(schemas).flatMap(namesIn));
  const types = Object.entries(schemas).filter(([name]) => !inline.has(name) || referenced.has(name));
  const statuses = new Map(
    routes.flatMap(route => Object.entries(route.responses).map(([status, { $ref }]) => [nameOf($ref), status])),
  );
  return {
    title: info.title,
    nav: html`<nav id="routes" aria-label="Routes">
        ${groups.map(({ name, routes }) => html`<h2>${name}</h2><ul>${routes.map(linkTo)}</ul>`)}
        ${messages.length > 0 && html`<h2>To webhooks</h2><ul>${messages.map(({ id, summary, operationId }) => html`<li><a href="#${id}"><span>${summary ?? operationId}</span></a></li>`)}</ul>`}
        <h2>More</h2><ul><li><a href="#types">Types</a></li><li><a href="#responses">Other responses</a></li></ul>
      </nav>`,
    content: html`<div class="intro">${markdown(info.description)}</div>
        ${groups.map(({ name, description, routes }) => html`<h2>${name}</h2>${markdown(description)}${routes.map(renderRoute)}`)}
        ${messages.length > 0 && html`<h2>To webhooks</h2>${messages.map(renderMessage)}`}
        <h2 id="types">Types</h2>
        ${types.map(
          ([name, schema]) => html`
        <section id="type/${name}"><h3>${name}</h3>${markdown(schema.description)}${renderSchema(schema)}</section>`,
        )}
        <h2 id="responses">Other responses</h2>
        ${Object.entries(responses).map(
          ([name, { description, content }]) => html`
        <section id="response/${name}"><h3>${statuses.get(name)}</h3>${markdown(description)}
          ${content && renderExample(content['application/json']?.example ?? { detail: '…' })}</section>`,
        )}`,
  };
}

const markdown = (text = '') => new Html(marked.parse(text, { async: false }));

const linkTo = ({ id, summary, operationId, method, deprecated }: Route) => {
  const title = summary ?? operationId;
  return html`<li><a href="#${id}"><span>${deprecated ? html`<s>${title}</s>` : title}</span> ${badge(method)}</a></li>`;
};

const mark = ({ deprecated }: { readonly deprecated?: boolean }) =>
  deprecated && html` <strong class="small bad">deprecated</strong>`;

const badge = (method: string) => html`<b class="method ${method.toLowerCase()}">${method}</b>`;

/** The last part of a reference such as `#/components/schemas/Order`. */
const nameOf = ($ref: string | undefined) => $ref?.split('/').at(-1);

const namesIn = (schema: Schema) =>
  [...JSON.stringify(schema).matchAll(/#\/components\/schemas\/(\w+)/g)].map(([, name]) => name);

const rootOf = (content: Content | undefined) => nameOf(content?.content?.['application/json']?.schema.$ref);

/** Bounds and defaults; those of a safe integer go without saying. */
function boundsOf({ minimum, maximum, minLength, maxLength, default: fallback }: Schema): (string | false)[] {
  const range = [minimum, maximum].map(bound => (Number.isSafeInteger((bound ?? Infinity) * 2) ? bound : undefined));
  return [
    ...bounds(range, ''),
    ...bounds([minLength, maxLength], ' characters'),
    fallback !== undefined && `default ${JSON.stringify(fallback)}`,
  ];
}

function bounds([min, max]: readonly (number | undefined)[], unit: string): string[] {
  if (min !== undefined && max !== undefined) return [`${min} to ${max}${unit}`];
  if (min !== undefined) return [`at least ${min}${unit}`];
  return max === undefined ? [] : [`at most ${max}${unit}`];
}

/** The playground with the operation of a route, and its examples as variables. */
function playgroundUrl({ document, parameters }: Operation): string {
  const examples = parameters.flatMap(({ name, example, in: place }) =>
    example === undefined || place === 'body' ? [] : [[name, example]],
  );
  const variables = JSON.stringify(Object.fromEntries(examples), null, 2);
  return `graphql#${new URLSearchParams({ query: print(document), variables })}`;
}

function renderSamples({ route, parameters }: Operation): Html[] {
  const variables = Object.fromEntries(parameters.map(({ name, example }) => [name, example]));
  const samples = samplesOf({ ...route, parameters }, variables, origin);
  const [[first = '', curl = ''] = [], ...others] = Object.entries(samples);
  return [
    html`<h4>${first}</h4>${code(curl, 'sh')}`,
    ...others.map(
      ([name, text]) =>
        html`<details><summary>${name}</summary>${code(text, name === 'Python' ? 'python' : 'js')}</details>`,
    ),
  ];
}

const renderExample = (value: unknown) => code(JSON.stringify(value, null, 2), 'json');

/** It scrolls, so the keyboard must be able to focus it. */
const code = (text: string, language: string) =>
  html`<pre tabindex="0"><code>${new Html(highlight(text, language))}</code></pre>`;
