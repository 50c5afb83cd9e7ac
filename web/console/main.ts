import { render } from 'lit-html';
import { find, focusWithSlash } from '../element.ts';
import { Forbidden, KeyRejected, messageOf, Unreachable } from '../errors.ts';
import { mountFrame } from '../frame/main.ts';
import { readKey, reloadIfKeyChanged, saveKey } from '../key.ts';
import type { App, Screen, Viewer } from './app.ts';
import { createDialogs } from './dialog.ts';
import { createNotices } from './notices.ts';
import type { FollowedStore } from './orders/watch.ts';
import { watchPress } from './press.ts';
import { formatRoute, parseRoute, type Route } from './route.ts';
import { openScreen } from './screens.ts';
import { fetchViewer, watchEdgeCaches } from './session.ts';
import { homeOf, renderLoading, renderProblem, renderShell } from './shell.ts';
import { createWelcome } from './welcome.ts';

const publishableKey =
  'This is a publishable key: it is for web pages, and shows guests the menu. The console needs a key for the staff; whoever issued this one can issue that, too.';

reloadIfKeyChanged();
mountFrame();
const root = find('#console', HTMLElement);
root.replaceChildren();
const notices = createNotices(update);
const dialogs = createDialogs(update);
const welcome = createWelcome(start);

let viewer: Viewer | undefined;
let problem: string | undefined;
let route = parseRoute(location.search);
let screen: Screen | undefined;
let followed: FollowedStore | undefined;
let unwatchEdge = () => {};
let scheduled = false;
let tab: HTMLElement | null = null;
const resized = new ResizeObserver(() => tab?.parentElement?.scrollTo(tab.offsetLeft - 100, 0));
const isPressed = watchPress(update);

/** Renders once for all changes of a frame. */
function update(): void {
  if (scheduled || isPressed()) return;
  scheduled = true;
  // Not an animation frame: a board in a background tab has to set the title, too.
  queueMicrotask(() => {
    scheduled = false;
    render(view(), root);
    followTab();
    const count = followed?.watch?.newCount() ?? 0;
    document.title = `${count > 0 ? `(${count}) ` : ''}${screen ? `${screen.title()} · ` : ''}Console · Carte`;
  });
}

/** On a phone the views have to be scrolled: to about the middle, and not the page with them. */
function followTab(): void {
  const current = root.querySelector<HTMLElement>('.bar nav [aria-current]');
  if (current === tab) return;
  tab = current;
  resized.disconnect();
  for (const part of root.querySelectorAll('.bar nav, .bar nav a')) resized.observe(part);
}

function view() {
  if (readKey() === '') return welcome.view();
  if (problem !== undefined) return renderProblem(problem, start);
  if (!viewer || !screen) return renderLoading();
  return renderShell({ app: createApp(viewer), screen, forgetKey });
}

function createApp(known: Viewer): App {
  const app: App = {
    viewer: known,
    notices,
    dialogs,
    can: permission => [...known.permissions, ...known.readPermissions].includes(permission),
    route: () => route,
    navigate,
    update,
    follow(store, create) {
      if (followed?.store.id !== store.id) {
        followed?.watch?.release();
        followed?.close();
        followed = create(app, store);
      }
      return followed.watch;
    },
    watch: () => followed?.watch,
    ordering: () => followed?.ordering,
    fail,
  };
  return app;
}

/** Reads what the key may do, and opens the screen of the URL. */
async function start(): Promise<void> {
  problem = undefined;
  viewer = undefined;
  close();
  update();
  if (readKey() === '') return;
  try {
    viewer = (await fetchViewer({})).viewer;
    welcome.accept();
    if (location.search === '') route = homeOf(createApp(viewer));
    open();
    unwatchEdge = watchEdgeCaches(createApp(viewer));
  } catch (error) {
    if (error instanceof KeyRejected) return rejectKey(error.message);
    // Every other key may read what it may do.
    if (error instanceof Forbidden) return rejectKey(publishableKey);
    problem = messageOf(error);
    // A tablet that starts before its network does must not wait for someone to touch it.
    if (error instanceof Unreachable) setTimeout(() => problem !== undefined && start(), 3000);
    update();
  }
}

function open(): void {
  if (!viewer) return;
  closeScreen();
  screen = openScreen(createApp(viewer));
  update();
}

function closeScreen(): void {
  screen?.close?.();
  screen = undefined;
}

function close(): void {
  closeScreen();
  followed?.close();
  followed = undefined;
  unwatchEdge();
}

function navigate(to: Route, { replace = false } = {}): void {
  const url = `${location.pathname}${formatRoute(to)}`;
  if (replace) history.replaceState(null, '', url);
  else history.pushState(null, '', url);
  show(to);
}

/** Keeps the screen where only its details change. */
function show(to: Route): void {
  const isSame = screen?.onRoute && to.view === route.view && to.store === route.store;
  route = to;
  if (isSame) screen?.onRoute?.();
  else open();
  update();
}

function fail(error: unknown): void {
  if (error instanceof KeyRejected) rejectKey(error.message);
  else notices.problem(messageOf(error));
}

/** What waits to be sent stays in the tab, for the next key. */
function rejectKey(message: string): void {
  welcome.reject(message);
  leave();
}

function forgetKey(): void {
  leave();
  for (const name of Object.keys(sessionStorage))
    if (name.startsWith('carte.console.')) sessionStorage.removeItem(name);
}

function leave(): void {
  saveKey('');
  viewer = undefined;
  close();
  update();
}

focusWithSlash(() => document.querySelector<HTMLElement>('input[type=search]'));
addEventListener('popstate', () => show(parseRoute(location.search)));
start();
