import { find } from '../element.ts';
import { readKey, saveKey } from '../key.ts';
import { completeAccessibility } from './accessibility.ts';
import { replaceOutline } from './outline.ts';
import { loading } from './prepare.ts';

/** The secrets of Scalar's authentication, by document and scheme. */
type Authentication = Readonly<
  Record<string, { readonly secrets: { readonly ApiKey?: Readonly<Record<string, unknown>> } }>
>;

/** The part of Scalar that this page uses; its script is loaded before this module. */
declare const Scalar: {
  createApiReference(selector: string, configuration: object): void;
};

/** Whether Scalar has a key that another page has replaced or forgotten since. */
let isKeyStale = false;

/** Passes Scalar's key on to the other pages of the tab. */
const shareKey = () => ({
  name: 'carte-key',
  extensions: [],
  hooks: {
    onInit({ auth }: { readonly auth: { export(): Authentication } }): void {
      addEventListener('pagehide', () => {
        if (isKeyStale) return;
        const [scheme] = Object.values(auth.export()).map(({ secrets }) => secrets.ApiKey);
        const key = scheme?.['x-scalar-secret-token'];
        if (typeof key === 'string') saveKey(key.trim());
      });
    },
  },
});

// A page from the back/forward cache still has the key that another page may have replaced or forgotten.
addEventListener('pageshow', ({ persisted }) => {
  if (!persisted) return;
  isKeyStale = true;
  location.reload();
});

const note = find('#note', HTMLElement);

/** Reports an error; the outline stays. */
function fail(error: Error): never {
  note.textContent = `Samples and the client cannot be loaded: ${error.message}. Reload the page to try again.`;
  throw error;
}

completeAccessibility();
const content = await loading.catch(fail);
if (typeof Scalar === 'undefined') fail(new Error('Scalar does not load'));
replaceOutline(find('#outline', HTMLElement), find('#reference', HTMLElement));
Scalar.createApiReference('#reference', {
  content,
  servers: [{ url: new URL('.', location.href).href.replace(/\/$/, '') }],
  authentication: { preferredSecurityScheme: 'ApiKey', securitySchemes: { ApiKey: { value: readKey() } } },
  plugins: [shareKey],
  // Keys stay in the tab, and no request leaves this server.
  persistAuth: false,
  telemetry: false,
  withDefaultFonts: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  hideClientButton: true,
  documentDownloadType: 'none',
  defaultOpenAllTags: true,
  orderSchemaPropertiesBy: 'preserve',
  modelsSectionLabel: 'Schemas',
  theme: 'none',
});
