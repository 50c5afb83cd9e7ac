import { InvalidInput, type ValidationError } from '@carte/base/errors';
import { codePointsIn } from '@carte/base/json';
import type { EntityManager } from '@mikro-orm/postgresql';
import { findExistingIds } from '../database/save.ts';
import type { CreateApiKeyInput } from '../generated/graph.ts';
import { MerchantEntity } from '../merchant/entities.ts';
import { StoreEntity } from '../store/entities.ts';

const maxNameLength = 255;
const maxGrants = 1000;
const maxOrigins = 100;
/** They would garble the output of `carte key list`, and PostgreSQL stores neither NUL nor half a surrogate pair. */
const unprintable = /[\p{Cc}\p{Cs}]/u;

/** What a new key is to be, from the graph or the command line. */
export type KeyRequest = Omit<CreateApiKeyInput, 'publishable' | 'origins' | 'expiresAt'> & {
  readonly [Option in 'publishable' | 'origins' | 'expiresAt']?: CreateApiKeyInput[Option] | undefined;
};

/** Throws `InvalidInput` with all errors of a request; their paths start at the argument `input`. */
export async function validateKeyRequest(em: EntityManager, request: KeyRequest): Promise<void> {
  const errors: ValidationError[] = [];
  for await (const error of findErrors(em, request)) errors.push({ ...error, path: ['input', ...error.path] });
  if (errors.length > 0) throw new InvalidInput(errors);
}

async function* findErrors(em: EntityManager, request: KeyRequest): AsyncGenerator<ValidationError> {
  const { name, all, merchantIds, storeIds, permissions, publishable, expiresAt } = request;
  const tooLong = Object.entries({ merchantIds, storeIds }).filter(([, { length }]) => length > maxGrants);
  for (const [list, { length }] of tooLong) {
    yield { path: [list], type: 'too_long', message: `The list has ${length} ids; at most ${maxGrants} are allowed.` };
  }
  const path = ['name'];
  if (name.trim() === '') yield { path, type: 'string_too_short', message: 'The name of a key must not be empty.' };
  if (codePointsIn(name) > maxNameLength) {
    yield { path, type: 'string_too_long', message: `The name of a key has at most ${maxNameLength} characters.` };
  }
  if (unprintable.test(name)) {
    yield { path, type: 'value_error', message: 'The name of a key is one line of text, without control characters.' };
  }
  const grants = merchantIds.length + storeIds.length;
  if (all && grants > 0) {
    const message = 'A key has access to all, or to certain merchants and stores, not both.';
    yield { path: ['all'], type: 'value_error', message };
  }
  if (!all && grants === 0) {
    yield { path: [], type: 'missing', message: 'A key needs an access scope: all, merchants or stores.' };
  }
  if (tooLong.length === 0) yield* await checkSubjects(em, request);
  for (const [index, permission] of permissions.entries()) {
    if ((publishable === true) === (permission === 'PLACE_GUEST_ORDERS')) continue;
    const message = publishable
      ? `A publishable key reads what guests may see; of the permissions it can have PLACE_GUEST_ORDERS alone, not ${permission}.`
      : 'The permission PLACE_GUEST_ORDERS is only for publishable keys; with a secret key, ORDERS places orders.';
    yield { path: ['permissions', index], type: 'value_error', message };
  }
  if (!all && permissions.includes('ADMIN')) {
    const message = 'The permission ADMIN is only for keys with access to all merchants and stores.';
    yield { path: ['permissions', permissions.indexOf('ADMIN')], type: 'value_error', message };
  }
  yield* checkOrigins(request);
  if (expiresAt && expiresAt <= new Date()) {
    yield { path: ['expiresAt'], type: 'value_error', message: `${expiresAt.toISOString()} is in the past.` };
  }
}

function* checkOrigins({ publishable, origins = [] }: KeyRequest): Generator<ValidationError> {
  if (!publishable && origins.length > 0) {
    yield {
      path: ['origins'],
      type: 'value_error',
      message: 'Only a publishable key is for pages of certain origins.',
    };
  }
  if (origins.length > maxOrigins) {
    const message = `The list has ${origins.length} origins; at most ${maxOrigins} are allowed.`;
    yield { path: ['origins'], type: 'too_long', message };
  }
  for (const [index, origin] of origins.entries()) {
    if (isWebOrigin(origin)) continue;
    const message = `${JSON.stringify(origin)} is not the origin of a page, such as https://menu.example or http://localhost:5173.`;
    yield { path: ['origins', index], type: 'value_error', message };
  }
}

/** As browsers write it: scheme, host and port, without a path; not that of a file, which is `null`. */
function isWebOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

/** Merchants and stores exist, and no store is one of the merchants'. */
async function checkSubjects(em: EntityManager, { merchantIds, storeIds }: KeyRequest): Promise<ValidationError[]> {
  const known = await findExistingIds(em, MerchantEntity, merchantIds);
  // PostgreSQL rejects text with NUL, so no store has such an id.
  const stores = await em.find(StoreEntity, { id: { $in: storeIds.filter(id => !id.includes('\0')) } });
  const merchantOf = new Map(stores.map(({ id, merchant }) => [id, merchant]));
  const unknownMerchants = merchantIds.flatMap((id, index) =>
    known.has(id) ? [] : [notFound(['merchantIds', index], 'merchant', id)],
  );
  const storeErrors = storeIds.flatMap((id, index): ValidationError[] => {
    const path = ['storeIds', index];
    const merchant = merchantOf.get(id);
    if (merchant === undefined) return [notFound(path, 'store', id)];
    if (merchant === null || !merchantIds.includes(merchant)) return [];
    const message = `Store ${id} belongs to merchant ${merchant}, whose stores are in the key's scope already.`;
    return [{ path, type: 'duplicate_reference', message }];
  });
  return [...unknownMerchants, ...storeErrors];
}

function notFound(path: ValidationError['path'], noun: string, id: string): ValidationError {
  return { path, type: 'reference_not_found', message: `There is no ${noun} ${JSON.stringify(id)}.` };
}
