import { element } from '../element.ts';
import { readKey } from '../key.ts';

/** The part of an OpenAPI document that the forms use. */
interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Route>>>>;
}

interface Route {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly example?: unknown } } };
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly example?: unknown;
  readonly schema?: { readonly default?: unknown; readonly enum?: readonly string[] };
}

/** An error of a 422, with where it is: `path`, `query`, `header` or `body`, and then the name. */
interface Problem {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
}

let loaded: Promise<OpenApi> | undefined;

function loadDocument(): Promise<OpenApi> {
  const link = document.querySelector<HTMLAnchorElement>('#openapi');
  loaded ??= getJson<OpenApi>(link?.href ?? '');
  loaded.catch(() => {
    loaded = undefined;
  });
  return loaded;
}

/** Opens a form below the button of a route, by which it can be called, or closes it. `root` is the URL of `/`. */
export async function toggleForm(button: HTMLButtonElement, root: URL): Promise<void> {
  const section = button.closest('section');
  const open = section?.querySelector('.try-form');
  button.ariaExpanded = String(!open);
  button.classList.toggle('main', Boolean(open));
  if (!section || open) return open?.remove();
  const [, method = '', path = ''] = /^tag\/[^/]*\/([A-Z]+)(.*)$/.exec(section.id) ?? [];
  const place = button.closest('p');
  try {
    const route = (await loadDocument()).paths[path]?.[method.toLowerCase()];
    const known = method === 'GET' ? await findIdentifiers(root) : none;
    // A second click may have been faster than the document.
    if (!route || section.querySelector('.try-form')) return;
    const form = createForm(root, { method, path, route, known });
    place?.after(form);
    form.querySelector<HTMLElement>('input, select, textarea, button')?.focus();
  } catch {
    const message = 'The form cannot be loaded: is there a network?';
    place?.after(element('p', { class: 'bad try-form', role: 'alert' }, message));
  }
}

interface Call {
  readonly method: string;
  readonly path: string;
  readonly route: Route;
  /** Identifiers in the scope of the key, by the names of parameters. */
  readonly known: ReadonlyMap<string, string>;
}

function createForm(root: URL, { method, path, route, known }: Call): HTMLFormElement {
  const fields = (route.parameters ?? []).map(parameter => createField(parameter, known.get(parameter.name)));
  const example = route.requestBody?.content['application/json'].example;
  const text = element('textarea', { rows: '8', spellcheck: 'false' }, JSON.stringify(example ?? {}, null, 2));
  const body = route.requestBody && { ...wrapField('body', text), place: 'body' };
  const send = element('button', { class: 'main' }, 'Send');
  const status = element('p', { role: 'status' });
  const output = element('pre', { tabindex: '0', hidden: '' });
  const parts = [...fields, ...(body ? [body] : [])].map(({ label }) => label);
  const form = element('form', { class: 'form try-form', novalidate: '' }, ...parts, send, status, output);

  form.addEventListener('submit', async event => {
    event.preventDefault();
    output.hidden = true;
    for (const field of fields) field.report(field.isRequired && field.value() === '' ? 'This is needed.' : '');
    body?.report(jsonError(text.value));
    const invalid = form.querySelector<HTMLElement>('[aria-invalid="true"]');
    if (invalid) return invalid.focus();
    if (readKey() === '') {
      status.textContent = 'Enter your key at the top of the page first.';
      return document.getElementById('key')?.focus();
    }
    const given = (place: string) => fields.filter(field => field.place === place && field.value() !== '');
    const filled = given('path').reduce(
      (url, { name, value }) => url.replace(`{${name}}`, encodeURIComponent(value())),
      path.slice(1),
    );
    const search = new URLSearchParams(given('query').map(({ name, value }) => [name, value()])).toString();
    status.textContent = 'Sending…';
    send.disabled = true;
    try {
      const start = performance.now();
      const response = await fetch(new URL(`${filled}${search && `?${search}`}`, root), {
        method,
        headers: {
          'x-api-key': readKey(),
          ...(body && { 'content-type': 'application/json' }),
          ...Object.fromEntries(given('header').map(({ name, value }) => [name, value()])),
        },
        ...(body && { body: text.value }),
      });
      const received = await response.text();
      const milliseconds = Math.round(performance.now() - start);
      status.textContent = `${response.status} ${response.statusText}, ${milliseconds} ms, ${new Blob([received]).size.toLocaleString('en')} bytes`;
      status.className = response.ok ? 'good' : 'bad';
      output.textContent = pretty(received);
      output.hidden = received === '';
      for (const { loc, msg } of problemsIn(response.status, received)) {
        const field = [...fields, ...(body ? [body] : [])].find(
          ({ place, name }) => place === loc[0] && (place === 'body' || name === loc[1]),
        );
        field?.report(loc[0] === 'body' && loc.length > 1 ? `${loc.slice(1).join('.')}: ${msg}` : msg);
      }
    } catch (error) {
      status.textContent = `The server did not respond: ${error instanceof Error ? error.message : error}`;
      status.className = 'bad';
    }
    send.disabled = false;
  });
  return form;
}

function createField({ name, in: place, required = false, example, schema = {} }: Parameter, known?: string) {
  const options = schema.enum && ['', ...schema.enum].map(value => element('option', { value }, value));
  const input = options
    ? element('select', {}, ...options)
    : element('input', { spellcheck: 'false', autocomplete: 'off' });
  // An example of an optional parameter would filter what the reader wants to see.
  input.value = known ?? (required && place !== 'path' ? String(example ?? '') : '');
  input.setAttribute('placeholder', String(example ?? schema.default ?? ''));
  return { ...wrapField(`${name}${required ? '' : ' (optional)'}`, input), name, place, isRequired: required };
}

type Input = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** A field with its label above and, once there is one, its error below. */
function wrapField(title: string, input: Input) {
  const error = element('span', { class: 'field-error', role: 'alert' });
  const label = element('label', {}, element('span', {}, title), input, error);
  return {
    label,
    name: title,
    value: () => input.value.trim(),
    report(message: string): void {
      error.textContent = message;
      if (message === '') input.removeAttribute('aria-invalid');
      else input.setAttribute('aria-invalid', 'true');
    },
  };
}

function jsonError(text: string): string {
  try {
    JSON.parse(text);
    return '';
  } catch (error) {
    return `This is not JSON: ${error instanceof Error ? error.message : error}`;
  }
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function problemsIn(status: number, text: string): readonly Problem[] {
  if (status !== 422) return [];
  const { detail } = JSON.parse(text) as { readonly detail: readonly Problem[] | string };
  return typeof detail === 'string' ? [] : detail;
}

const none: ReadonlyMap<string, string> = new Map();

interface Identified {
  readonly id: string;
}

/**
 * Finds the first store and merchant, and the newest order of that store, by the name of the parameter, so that reads can be sent as they are; a
 * write gets none, since one click would replace a menu.
 */
async function findIdentifiers(root: URL): Promise<ReadonlyMap<string, string>> {
  if (readKey() === '') return none;
  const get = <Body>(path: string) => getJson<Body>(new URL(path, root), { 'x-api-key': readKey() });
  try {
    const [[store], [merchant]] = await Promise.all([
      get<readonly Identified[]>('v1/stores/?limit=1'),
      get<readonly Identified[]>('v1/merchants/?limit=1'),
    ]);
    const path = store && `v1/stores/${encodeURIComponent(store.id)}/orders/?page_size=1`;
    const orders = path ? (await get<{ order_result_list: Identified[] }>(path)).order_result_list : [];
    const found = { store_service_id: store, merchant_service_id: merchant, order_service_id: orders[0] };
    return new Map(Object.entries(found).flatMap(([name, resource]) => (resource ? [[name, resource.id]] : [])));
  } catch {
    return none;
  }
}

async function getJson<Body>(url: string | URL, headers: Readonly<Record<string, string>> = {}): Promise<Body> {
  const response = await fetch(url, { headers });
  if (!response.ok) throw new Error(`${url} is ${response.status}`);
  return response.json();
}
