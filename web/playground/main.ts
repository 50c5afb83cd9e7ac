import { mountFrame } from '../frame/main.ts';
import { removeOldCopies } from '../key.ts';
import { createFetcher } from './fetcher.ts';
import { createElement, createRoot, explorerPlugin, Fragment, GraphiQL, HISTORY_PLUGIN } from './graphiql.ts';
import { followKeyOfSession, KeyField, readHeaders, SharedHeaders } from './headers.ts';
import { routePlugin } from './route.ts';
import { RunSummary, recordRun } from './runs.ts';
import { FollowScheme } from './scheme.ts';
import { followSharedLinks, ShareButton, takeSharedOperation } from './share.ts';
import { storage } from './storage.ts';
import { ActiveTabInView, initialTabs, TabsAsList } from './tabs.ts';

removeOldCopies();
followKeyOfSession();
followSharedLinks();
mountFrame();

const root = document.querySelector('#content');
if (!root) throw new Error('The page has no #content');
createRoot(root).render(
  createElement(
    GraphiQL,
    {
      ...initialTabs(takeSharedOperation(), new Date()),
      fetcher: createFetcher(recordRun),
      storage,
      shouldPersistHeaders: false,
      initialHeaders: readHeaders(),
      defaultHeaders: readHeaders(),
      defaultEditorToolsVisibility: 'variables',
      plugins: [HISTORY_PLUGIN, explorerPlugin({ showAttribution: false }), routePlugin],
      inputValueDeprecation: true,
      schemaDescription: true,
    },
    createElement(
      GraphiQL.Logo,
      null,
      createElement('h1', { className: 'visually-hidden' }, 'Playground'),
      createElement(KeyField),
    ),
    createElement(GraphiQL.Toolbar, {
      children: ({ prettify, merge, copy }) =>
        createElement(Fragment, null, prettify, merge, copy, createElement(ShareButton)),
    }),
    createElement(GraphiQL.Footer, null, createElement(RunSummary)),
    createElement(SharedHeaders),
    createElement(FollowScheme),
    createElement(ActiveTabInView),
    createElement(TabsAsList),
  ),
);
