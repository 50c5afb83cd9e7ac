import { examples, moments } from './examples.ts';

const logo = `<svg viewBox="0 0 32 32" width="26" height="26" aria-hidden="true"><rect x="5" y="2" width="22" height="28" rx="3"
fill="#8a2f3c"/><path d="M20.5 12.2a5.6 5.6 0 1 0 0 7.6" fill="none" stroke="#fff" stroke-width="2.6"/></svg>`;

/**
 * Starts GraphiQL. GraphiQL keeps headers for each tab: a key given in one serves the others too, and so does the key
 * that the page `/` or `/menu` was given. GraphiQL's wrapper writes each query into the address of the page, where a
 * reload would send it to the graph: it shall not. And GraphiQL forgets the variables of the first tab.
 */
export function startScript(): string {
  return `const now = new Date();
const moments = {
  ${moments.now}: now.toISOString(),
  ${moments.startOfToday}: new Date(new Date(now).setHours(0, 0, 0, 0)).toISOString(),
};
const fill = text => text.replace(/"(CARTE_\\w+)"/g, (_, name) => JSON.stringify(moments[name]));
const options = ${JSON.stringify(options(), null, 2)};
for (const tab of options.defaultTabs) tab.variables = fill(tab.variables);
if (!localStorage.getItem('graphiql:tabState')) {
  localStorage.setItem('graphiql:variables', options.defaultTabs[0].variables);
}
const send = window.fetch;
window.fetch = (address, options = {}) => {
  const headers = new Headers(options.headers);
  const key = headers.get('x-api-key') || sessionStorage.getItem('carte.key') || '';
  sessionStorage.setItem('carte.key', key);
  headers.set('x-api-key', key);
  return send(address, { ...options, headers });
};
history.replaceState = () => {};
YogaGraphiQL.renderYogaGraphiQL(document.querySelector('#root'), options);
`;
}

function options() {
  const headers = asText({ 'x-api-key': '' });
  return {
    title: 'Carte playground',
    logo,
    endpoint: '/graphql',
    defaultTabs: examples.map(({ query, variables }) => ({ query, variables: asText(variables), headers })),
    headers,
    shouldPersistHeaders: true,
    defaultEditorToolsVisibility: 'headers',
  };
}

function asText(value: object): string {
  return JSON.stringify(value, null, 2);
}
