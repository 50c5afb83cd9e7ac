import { readSets } from '@carte/operations/contract/sets';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { loadSchema } from '../../src/graphql/schema.ts';
import { describeSet } from '../../src/rest/openapi.ts';
import { readBuiltInSets } from '../../src/rest/sets.ts';

interface Described {
  readonly document: Json;
  readonly name: string;
  readonly method: string;
  readonly path: RegExp;
  readonly pointer: string;
  readonly statuses: ReadonlySet<string>;
}

// biome-ignore lint/suspicious/noExplicitAny: a walk through JSON
type Json = any;

const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false });
formats.default(ajv);

const pointerTo = (...keys: string[]) =>
  keys.map(key => `/${encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))}`).join('');

const routes = readSets(loadSchema(), readBuiltInSets()).flatMap((set): Described[] => {
  const document: Json = JSON.parse(JSON.stringify(describeSet(set)));
  ajv.addSchema(document, set.name);
  return Object.entries<Record<string, { responses: object }>>(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { responses }]) => ({
      document,
      name: set.name,
      method: method.toUpperCase(),
      path: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`),
      pointer: pointerTo('paths', path, method, 'responses'),
      statuses: new Set(Object.keys(responses)),
    })),
  );
});
const validators = new Map<string, ValidateFunction>();

/** What an answer of a route has that the OpenAPI document of its set does not say: every test that goes through HTTP is held to it. */
export function undescribed(method: string, path: string, status: number, body: unknown): string | undefined {
  const route = routes.find(candidate => candidate.method === method && candidate.path.test(path.split('?')[0] ?? ''));
  if (!route) return undefined;
  // Any route is forbidden to a key that may not read what it returns; /v1 describes it where every integrator may meet it.
  if (status === 403 && !route.statuses.has('403')) return undefined;
  if (!route.statuses.has(String(status))) return status >= 500 ? undefined : `${status} is not described`;
  if (body === undefined) return undefined;
  const place = `${route.name}#${follow(route, String(status))}/content${pointerTo('application/json')}/schema`;
  let validate = validators.get(place);
  if (!validate) {
    validate = ajv.compile({ $ref: place });
    validators.set(place, validate);
  }
  return validate(body) ? undefined : ajv.errorsText(validate.errors);
}

/** The pointer to a response, which may be a reference to one that routes share. */
function follow({ document, pointer }: Described, status: string): string {
  const keys = `${pointer}/${status}`.split('/').slice(1);
  let value = document;
  for (const key of keys) value = value[decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~')];
  return value.$ref ? String(value.$ref).slice(1) : `${pointer}/${status}`;
}
