import type { TemplateResult } from 'lit-html';
import type { Permission, ViewerQuery } from '../../src/generated/web.ts';
import type { Dialogs } from './dialog.ts';
import type { Notices } from './notices.ts';
import type { Ordering } from './orders/ordering.ts';
import type { FollowedStore, OrderWatch } from './orders/watch.ts';
import type { Route } from './route.ts';
import type { StoreContext } from './session.ts';

export type Viewer = ViewerQuery['viewer'];

/** What every screen works with. */
export interface App {
  readonly viewer: Viewer;
  readonly notices: Notices;
  readonly dialogs: Dialogs;
  /** Whether the key has a permission; what it may not do is not shown. */
  readonly can: (permission: Permission) => boolean;
  readonly route: () => Route;
  readonly navigate: (route: Route, options?: { readonly replace?: boolean }) => void;
  /** Renders the page again, with the next frame. */
  readonly update: () => void;
  /** Follows a store, and no other, until another one is opened. */
  readonly follow: (
    store: StoreContext,
    create: (app: App, store: StoreContext) => FollowedStore,
  ) => OrderWatch | undefined;
  /** The orders that are followed, whatever is shown; undefined for a key that may not read them. */
  readonly watch: () => OrderWatch | undefined;
  /** How the store that is followed takes orders. */
  readonly ordering: () => Ordering | undefined;
  /** Shows an error: where the key is rejected, the page asks for another one. */
  readonly fail: (error: unknown) => void;
}

/** A part of the console at one route. */
export interface Screen {
  readonly title: () => string;
  readonly view: () => TemplateResult;
  /** Called when the route changes within the screen. */
  readonly onRoute?: () => void;
  /** Stops timers and streams. */
  readonly close?: () => void;
}

/** Handles clicks on links within the console without loading the page again; others, e.g. into a new tab, are left to the browser. */
export function followLink(app: Pick<App, 'navigate'>, route: Route) {
  return (event: MouseEvent): void => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    app.navigate(route);
  };
}
