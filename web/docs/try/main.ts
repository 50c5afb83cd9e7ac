import { element, find } from '../../element.ts';
import { readKey, removeOldCopies, saveKey } from '../../key.ts';
import { completeElements, openClient } from './complete-elements.ts';
import { loadDocument } from './document.ts';

/** The secrets of Scalar's authentication, by document and scheme. */
type Authentication = Readonly<
  Record<string, { readonly secrets: { readonly ApiKey?: Readonly<Record<string, unknown>> } }>
>;

/** The part of Scalar that this page uses. */
declare const Scalar: {
  createApiReference(selector: string, configuration: object): void;
};

/** The URL of `/`: this script is at web/docs/try/main.ts. */
const root = new URL('../../../', import.meta.url);

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

function loadScalar(): Promise<unknown> {
  const script = element('script', { src: find('link[rel=preload]', HTMLLinkElement).href });
  document.head.append(script);
  return new Promise((resolve, reject) => {
    script.addEventListener('load', resolve);
    script.addEventListener('error', () => reject(new Error('its script is missing')));
  });
}

removeOldCopies();
const note = find('#note', HTMLElement);
const [content] = await Promise.all([loadDocument(root, readKey()), loadScalar()]).catch((error: Error) => {
  note.textContent = `The client cannot be loaded: ${error.message}. Reload the page to try again.`;
  throw error;
});
note.remove();
completeElements();
openClient(decodeURIComponent(location.hash.slice(1)));
Scalar.createApiReference('#reference', {
  content,
  servers: [{ url: root.href.replace(/\/$/, '') }],
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
