/// <reference types="vite/client" />
// What the playground uses of packages. No browser can load these as they are, so tools/build-playground.ts bundles this file.
import '@graphiql/react/setup-workers/vite';
import 'graphiql/style.css';
import '@graphiql/plugin-explorer/style.css';

export { explorerPlugin } from '@graphiql/plugin-explorer';
export { HISTORY_PLUGIN } from '@graphiql/plugin-history';
export { ToolbarButton, useGraphiQL } from '@graphiql/react';
export { GraphiQL, type GraphiQLProps } from 'graphiql';
export { parse } from 'graphql';
export { createClient } from 'graphql-sse';
export { createElement, Fragment, useEffect, useLayoutEffect, useState, useSyncExternalStore } from 'react';
export { createRoot } from 'react-dom/client';
