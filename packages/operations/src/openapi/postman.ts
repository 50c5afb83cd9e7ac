import type { Contract, Operation } from '../contract/contract.ts';
import { describeDeprecated } from '../contract/deprecation.ts';
import type { Link } from '../contract/directives.ts';
import { colonPath, defaultOf, type Parameter } from '../contract/parameters.ts';
import { sampleOf } from './samples.ts';
import type { Json } from './schemas.ts';

/** Where `npm start` serves; the variable `baseUrl` of the collection. */
const defaultUrl = 'http://127.0.0.1:4000';

/**
 * A Postman collection (format 2.1): a folder for each tag, with the routes as requests and their recorded responses. The
 * identifiers in paths are variables, which responses set by their links: after a list, a route for one of its elements gets the first. So are they in
 * bodies, where an example is that of a path.
 */
export function postmanCollection({ name: set, operations, info, examples }: Contract): Json {
  const byTag = Map.groupBy(operations, ({ route }) => route.tags[0] ?? 'Routes');
  const order = (info?.tags ?? []).map(({ name }) => name);
  const variables = new Map(operations.flatMap(examplesInPath));
  const folders = [...byTag].sort(([a], [b]) => order.indexOf(a) - order.indexOf(b));
  return {
    info: {
      name: info?.title ?? set,
      description: info?.description ?? '',
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: {
      type: 'apikey',
      apikey: Object.entries({ key: 'x-api-key', value: '{{apiKey}}', in: 'header' }).map(([key, value]) => ({
        key,
        value,
        type: 'string',
      })),
    },
    variable: [
      { key: 'baseUrl', value: defaultUrl },
      { key: 'apiKey', value: '' },
      ...[...variables].map(([key, value]) => ({ key, value })),
    ],
    item: folders.map(([name, members]) => ({
      name,
      item: members.map(operation => describeItem(operation, variables, examples[operation.name])),
    })),
  };
}

/** The identifiers in the path, except for those that a caller should choose. */
function examplesInPath({ parameters }: Operation): [string, string][] {
  return parameters
    .filter(parameter => parameter.in === 'path' && parameter.example !== undefined)
    .map(({ name, example }) => [name, String(example)]);
}

/** A line of script that sets a variable to the value of a link; none if the value is not in the response. */
function scriptOf({ parameter, value }: Link): string[] {
  const pointer = /^\$response\.body#\/(.+)/.exec(value)?.[1];
  if (pointer === undefined) return [];
  const access = pointer.split('/').map(step => `?.[${JSON.stringify(step)}]`);
  const found = `pm.response.json()${access.join('')}`;
  return [`pm.collectionVariables.set('${parameter}', ${found} ?? pm.collectionVariables.get('${parameter}'));`];
}

type PathVariables = ReadonlyMap<string, string>;

function describeItem(operation: Operation, variables: PathVariables, response: unknown): Json {
  const { name, route } = operation;
  const request = describeRequest(operation, variables);
  const script = [...new Set(route.links.flatMap(scriptOf))];
  return {
    name: route.summary ?? name,
    ...(script.length > 0 && { event: [{ listen: 'test', script: { type: 'text/javascript', exec: script } }] }),
    request,
    response:
      response === undefined
        ? []
        : [
            {
              name: 'With the demo data',
              originalRequest: request,
              status: 'OK',
              code: 200,
              header: [{ key: 'Content-Type', value: 'application/json; charset=utf-8' }],
              body: JSON.stringify(response, null, 2),
              _postman_previewlanguage: 'json',
            },
          ],
  };
}

function describeRequest({ route, parameters, deprecation }: Operation, variables: PathVariables): Json {
  const { body: inBody = [], header: headers = [] } = Object.groupBy(parameters, parameter => parameter.in);
  return {
    method: route.method,
    description: describeDeprecated(deprecation, route.description ?? '', '\n\n'),
    header: [
      ...(inBody.length > 0 ? [{ key: 'Content-Type', value: 'application/json' }] : []),
      ...headers.map(({ header, description, required, example }) => ({
        key: header,
        value: String(example ?? ''),
        description,
        disabled: !required,
      })),
    ],
    url: describeUrl(route.path, parameters),
    ...(inBody.length > 0 && {
      body: {
        mode: 'raw',
        raw: JSON.stringify(sampleBody(inBody), (_key, value) => toVariable(value, variables), 2),
        options: { raw: { language: 'json' } },
      },
    }),
  };
}

function toVariable(value: unknown, variables: PathVariables): unknown {
  const [name] = [...variables].find(([, example]) => example === value) ?? [];
  return name === undefined ? value : `{{${name}}}`;
}

const sampleBody = (parameters: readonly Parameter[]) =>
  Object.fromEntries(
    parameters.map(({ name, example, required, type, values }) => [
      name,
      example ?? (required ? sampleOf(type, values) : undefined),
    ]),
  );

function describeUrl(path: string, parameters: readonly Parameter[]): Json {
  // The empty last step of a path is its trailing slash.
  const steps = colonPath(path).split('/').slice(1);
  const { query = [], path: inPath = [] } = Object.groupBy(parameters, parameter => parameter.in);
  return {
    raw: `{{baseUrl}}/${steps.join('/')}`,
    host: ['{{baseUrl}}'],
    path: steps,
    query: query.map(parameter => ({
      key: parameter.name,
      value: String((parameter.required ? parameter.example : undefined) ?? defaultOf(parameter) ?? ''),
      description: parameter.description ?? '',
      disabled: !parameter.required,
    })),
    variable: inPath.map(({ name, description, example }) => ({
      key: name,
      value: example === undefined ? '' : `{{${name}}}`,
      description: description ?? '',
    })),
  };
}
