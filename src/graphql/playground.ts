import { examples, moments } from './playground/examples.ts';

const firstVariables = asText(examples[0]?.variables);

/**
 * Runs before GraphiQL does. GraphiQL keeps headers for each tab: a key given in one serves the others too, and so does
 * the key that the page `/` or `/menu` was given. GraphiQL's wrapper writes each query into the address of the page,
 * where a reload would send it to the graph: it shall not. And GraphiQL forgets the variables of the first tab.
 */
const preparation = `
  if (!localStorage.getItem('graphiql:tabState')) {
    localStorage.setItem('graphiql:variables', ${JSON.stringify(firstVariables)});
  }
  const ${moments.now} = new Date().toISOString();
  const ${moments.startOfToday} = new Date(new Date().setHours(0, 0, 0, 0)).toISOString();
  const send = window.fetch;
  window.fetch = (address, options = {}) => {
    const headers = new Headers(options.headers);
    const key = headers.get('x-api-key') || sessionStorage.getItem('carte.key') || '';
    sessionStorage.setItem('carte.key', key);
    headers.set('x-api-key', key);
    return send(address, { ...options, headers });
  };
  history.replaceState = () => {};
`;

/** GraphiQL lets tabs be dragged, but throws one aside at the mere press of a button, so that the click misses it. */
const style = '.graphiql-tab { transform: none !important; }';

const logo = `<svg viewBox="0 0 32 32" width="26" height="26" aria-hidden="true"><rect x="5" y="2" width="22" height="28" rx="3"
fill="#8a2f3c"/><path d="M20.5 12.2a5.6 5.6 0 1 0 0 7.6" fill="none" stroke="#fff" stroke-width="2.6"/></svg>`;

/** GraphiQL with everything inside: it works without internet. It is 9 MB, so it is made when first asked for. */
export async function renderPlayground(): Promise<string> {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql');
  const headers = asText({ 'x-api-key': '' });
  const page = renderGraphiQL({
    title: 'Carte playground',
    logo,
    endpoint: '/graphql',
    defaultTabs: examples.map(({ query, variables }) => ({ query, variables: asText(variables), headers })),
    headers,
    shouldPersistHeaders: true,
    defaultEditorToolsVisibility: 'headers',
  });
  const root = '<div id="root"></div>';
  return fillMoments(page.replace(root, () => `${root}<style>${style}</style><script>${preparation}</script>`));
}

function asText(value: object | undefined): string {
  return JSON.stringify(value ?? {}, null, 2);
}

/** The options stand in the page as a JavaScript literal; its strings are cut where a moment belongs. */
function fillMoments(page: string): string {
  return Object.values(moments).reduce(
    (filled, moment) => filled.replaceAll(`\\"${moment}\\"`, () => `\\"" + ${moment} + "\\"`),
    page,
  );
}
