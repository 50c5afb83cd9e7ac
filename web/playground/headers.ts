import { readKey, saveKey } from '../key.ts';
import { createElement, useEffect, useGraphiQL, useSyncExternalStore } from './graphiql.ts';

const keyHeader = 'x-api-key';

/** The text of the pane "Headers": the one place that the key is sent from, and the same in all tabs. */
let headers = toText({ [keyHeader]: readKey() });
const listeners = new Set<() => void>();

export const readHeaders = () => headers;

function setHeaders(text: string): void {
  headers = text;
  const fields = parseHeaders(text);
  if (fields) saveKey(keyOf(fields));
  for (const listener of listeners) listener();
}

/** Writes a key into the headers, and leaves the others as they are. */
function setKey(key: string): void {
  const others = Object.entries(parseHeaders(headers) ?? {}).filter(([name]) => name.toLowerCase() !== keyHeader);
  setHeaders(toText({ [keyHeader]: key, ...Object.fromEntries(others) }));
}

function useHeaders(): string {
  return useSyncExternalStore(listener => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, readHeaders);
}

/** The key above all tabs: another view of what the pane "Headers" has. */
export function KeyField() {
  const key = keyOf(parseHeaders(useHeaders()) ?? {});
  return createElement(
    'label',
    { className: 'key-field' },
    'API key',
    createElement('input', {
      type: 'password',
      value: key,
      autoComplete: 'off',
      spellCheck: false,
      onChange: event => setKey(event.currentTarget.value.trim()),
    }),
  );
}

/** Keeps the editor of headers the same in all tabs; GraphiQL has headers of its own for each tab, and none in its history. */
export function SharedHeaders() {
  const editor = useGraphiQL(state => state.headerEditor);
  const text = useHeaders();
  useEffect(() => {
    if (editor && editor.getValue() !== text) editor.setValue(text);
  }, [editor, text]);
  useEffect(() => {
    const listening = editor?.onDidChangeModelContent(({ isFlush }) => {
      const value = editor.getValue();
      if (value === headers) return;
      // GraphiQL replaces the text when it opens a tab, and to format it, which alone keeps its meaning.
      if (!isFlush || isEqual(value, headers)) setHeaders(value);
      // Monaco has not finished with this change yet.
      else queueMicrotask(() => editor.setValue(headers));
    });
    return () => listening?.dispose();
  }, [editor]);
  return null;
}

/** A page that the browser restores as it was left may have a key that another page has replaced since. */
export function followKeyOfSession(): void {
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) setKey(readKey());
  });
}

function toText(fields: Readonly<Record<string, string>>): string {
  return JSON.stringify(fields, null, 2);
}

function parseHeaders(text: string): Readonly<Record<string, string>> | undefined {
  try {
    const fields = JSON.parse(text);
    return typeof fields === 'object' && fields !== null ? fields : undefined;
  } catch {
    return undefined;
  }
}

function keyOf(fields: Readonly<Record<string, unknown>>): string {
  return String(Object.entries(fields).find(([name]) => name.toLowerCase() === keyHeader)?.[1] ?? '');
}

function isEqual(text: string, other: string): boolean {
  const fields = parseHeaders(text);
  return fields !== undefined && JSON.stringify(fields) === JSON.stringify(parseHeaders(other));
}
