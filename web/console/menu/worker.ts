import type { DocumentNode } from '@humanwhocodes/momoa';
import type { UploadMenuMutation, UploadMenuMutationVariables } from '../../../src/generated/web.ts';
import { openOperations } from '../../client.ts';
import { Conflict, InvalidInput, messageOf, type ValidationError } from '../../errors.ts';
import type { Changes } from './changes.ts';
import { compareMenus, toInputMenu } from './compare.ts';
import type { Finding } from './findings.ts';
import { findPlace, parsePosted, SyntaxProblem, toInput, toPosted, toPostedMessage, toPostedPath } from './posted.ts';

// A text may have 10 MB, and whatever looks at all of it takes seconds: not in the tab, which would stand still.

/** A step of an upload, for a store and with a key. */
export type Step = { readonly key: string; readonly storeId: string } & (
  | { readonly type: 'begin' }
  | { readonly type: 'compare'; readonly text: string }
  | { readonly type: 'upload'; readonly text: string; readonly revision: number | null }
);

export type UploadResult = NonNullable<UploadMenuMutation['replaceMenuConfiguration']>;

/** What a step has led to. */
export interface Outcome {
  /** The current menu, as it is posted. */
  readonly text?: string;
  /** What the text would change in the menu of a revision. */
  readonly preview?: { readonly revision: number; readonly changes: Changes };
  readonly result?: UploadResult | undefined;
  readonly ignored?: readonly string[];
  readonly findings?: readonly Finding[];
  readonly problem?: string;
  readonly isConflict?: boolean;
}

const { operation } = openOperations(new URL('upload.graphql', import.meta.url));
const uploadMenu = operation('UploadMenu');
const fetchCurrent = operation('CurrentMenu');

addEventListener('message', async ({ data: step }: MessageEvent<Step>) => {
  postMessage(await run(step).catch(error => explain(error, step)));
});

async function run(step: Step): Promise<Outcome> {
  if (step.type === 'upload') return send(parsePosted(step.text), step, []);
  const input = step.type === 'compare' ? toInput(parsePosted(step.text), new Set()) : undefined;
  const { store: current } = await fetchCurrent({ store: step.storeId }, { key: step.key });
  if (!current) throw new Error(`The store ${step.storeId} is gone`);
  const { menuRevision: revision, ...lists } = current;
  const menu = toInputMenu(lists);
  if (step.type === 'begin') return { text: JSON.stringify(toPosted(menu), null, 2) };
  return { preview: { revision, changes: compareMenus(menu, input) } };
}

/** Leaves out fields that the interface does not have, as the documented route does, and reports them. */
async function send(
  document: DocumentNode,
  step: Extract<Step, { readonly type: 'upload' }>,
  without: readonly ValidationError['path'][],
): Promise<Outcome> {
  const { key, storeId, revision } = step;
  const ignored = without.map(path => path.join('.'));
  try {
    const left = new Set(without.map(path => JSON.stringify(path)));
    const menu = toInput(document, left) as UploadMenuMutationVariables['input'];
    const sent = await uploadMenu({ input: { ...menu, storeId, expectedMenuRevision: revision } }, { key });
    return { result: sent.replaceMenuConfiguration ?? undefined, ignored };
  } catch (error) {
    if (!(error instanceof InvalidInput)) return { ...explain(error, step), ignored };
    const extra = error.errors.filter(({ type }) => type === 'extra_forbidden').map(({ path }) => pathOf(path));
    return extra.length > 0
      ? send(document, step, [...without, ...extra])
      : { findings: findingsOf(error, document), ignored };
  }
}

function explain(error: unknown, step: Step): Outcome {
  if (error instanceof SyntaxProblem && 'text' in step) return { findings: [atOffset(error, step.text)] };
  return { problem: messageOf(error), isConflict: error instanceof Conflict };
}

function atOffset({ message, offset }: SyntaxProblem, text: string): Finding {
  const line = text.slice(0, offset).split('\n').length;
  return { message, path: '', start: offset, end: offset + 1, line };
}

function findingsOf({ errors }: InvalidInput, document: DocumentNode): Finding[] {
  const findings = errors.map(({ path, message }) => {
    const posted = pathOf(path);
    return { message: toPostedMessage(message, posted), path: posted.join('.'), ...findPlace(document, posted) };
  });
  return findings.sort((one, other) => one.start - other.start);
}

/** The path below the variable. */
const pathOf = (path: ValidationError['path']) => toPostedPath(path.slice(1));
