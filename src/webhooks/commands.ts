import { randomBytes } from 'node:crypto';
import { InvalidInput, type ValidationError } from '@carte/base/errors';
import type { EntityManager } from '@mikro-orm/postgresql';
import { prepared, queryIn } from '../database/query.ts';
import { findExistingIds } from '../database/save.ts';
import { type EventKind, eventKinds } from '../events/kinds.ts';
import { currentPosition } from '../events/log.ts';
import { sequenceEvents } from '../events/sequencer.ts';
import type { CreateWebhookInput } from '../generated/graph.ts';
import { MerchantEntity } from '../merchant/entities.ts';
import { StoreEntity } from '../store/entities.ts';
import { type AddressPolicy, ForbiddenAddress, parseWebhookUrl, resolveAllowed } from './address.ts';
import { type Webhook, WebhookEntity } from './entities.ts';
import type { Messages } from './message.ts';
import { findWebhook, storableId } from './repository.ts';

/** A webhook with a secret that is not shown again. */
export interface IssuedSecret {
  readonly id: string;
  readonly secret: string;
}

/** For so long messages are signed with the secret before a rotation, too. */
const previousSecretHours = 24;

interface CreateDependencies {
  readonly policy: AddressPolicy;
  readonly messages: Pick<Messages, 'operations'>;
}

/** The kinds of events of a new webhook: those of its operation, unless the request names some. */
export function kindsOf(
  { kinds, operation }: CreateWebhookInput,
  { operations }: CreateDependencies['messages'],
): readonly EventKind[] {
  const ofOperation = operations.get(operation ?? '')?.events ?? [];
  return [...new Set(kinds ?? eventKinds.filter(kind => ofOperation.includes(kind)))];
}

/** Throws `InvalidInput` with every error of the request; their paths start at the argument `input`. */
export async function createWebhook(
  em: EntityManager,
  request: CreateWebhookInput,
  { policy, messages }: CreateDependencies,
): Promise<IssuedSecret> {
  const kinds = kindsOf(request, messages);
  const errors = [
    ...(await checkUrl(request, policy)),
    ...(await checkSubject(em, request)),
    ...checkKinds(request, kinds, messages),
  ];
  if (errors.length > 0) throw new InvalidInput(errors.map(error => ({ ...error, path: ['input', ...error.path] })));
  const issued = { id: `webhook_${randomBytes(6).toString('hex')}`, secret: generateSecret() };
  // Those that were committed before are not for it.
  await sequenceEvents(queryIn(em));
  await em.transactional(async transaction => {
    // While it is locked no event is put into queues, so the webhook misses none after its start.
    await transaction.execute('select from webhook_progress where id = 1 for update');
    transaction.create(WebhookEntity, {
      ...issued,
      url: request.url,
      merchant: request.merchantId ?? null,
      store: request.storeId ?? null,
      kinds,
      operation: request.operation ?? null,
      startPosition: await currentPosition(queryIn(transaction)),
      createdAt: new Date(),
    });
  });
  return issued;
}

/** Replaces the secret; the old one is used beside it for a day. Null if there is no such webhook. */
export async function rotateSecret(em: EntityManager, id: string): Promise<IssuedSecret | null> {
  const secret = generateSecret();
  const statement = `
    update webhook set previous_secret = secret, secret = ?,
      previous_secret_expires_at = now() + interval '${previousSecretHours} hours'
    where id = ? and removed_at is null returning id`;
  if ((await em.execute<object[]>(statement, [secret, storableId(id)])).length > 0) return { id, secret };
  rejectRemoved(await findWebhook(em, id));
  return null;
}

/** Stops deliveries; events wait for as long as the log retains them. Null if there is no such webhook. */
export async function pauseWebhook(em: EntityManager, id: string): Promise<Webhook | null> {
  const statement = `
    update webhook set paused_at = coalesce(paused_at, now()), notice = case when paused_at is null then null else notice end
    where id = ? and removed_at is null`;
  await em.execute(statement, [storableId(id)]);
  return rejectRemoved(await findWebhook(em, id));
}

/** Delivers what has happened since, in order, and retries what failed at once. Null if there is no such webhook. */
export async function resumeWebhook(em: EntityManager, id: string): Promise<Webhook | null> {
  await em.transactional(async transaction => {
    const statement = `
      update webhook set paused_at = null, failing_since = null, notice = null, lost_events = 0, lost_from = null, lost_to = null
      where id = ? and removed_at is null`;
    await transaction.execute(statement, [storableId(id)]);
    // Where the attempt is in progress, the next one still follows it.
    const retry = `
      update webhook_queue set failing_since = null, attempts = 0,
        next_attempt_at = case when claim is null then now() else next_attempt_at end
      where webhook_id = ? and attempts > 0`;
    await transaction.execute(retry, [storableId(id)]);
  });
  return rejectRemoved(await findWebhook(em, id));
}

const removeStatement = prepared(`
  with queues as (delete from webhook_queue where webhook_id = $1)
  update webhook set removed_at = now(), secret = '', previous_secret = null, previous_secret_expires_at = null
  where id = $1 and removed_at is null`);

/**
 * Removes a webhook for good, with its secrets; again changes nothing. It stays in lists for a while, so that one can see what became
 * of it. Null if there is no such webhook.
 */
export async function removeWebhook(em: EntityManager, id: string): Promise<Webhook | null> {
  await queryIn(em)(removeStatement, [storableId(id)]);
  return findWebhook(em, id);
}

/** Throws `InvalidInput` for a webhook that has ended. */
export function rejectRemoved(webhook: Webhook | null): Webhook | null {
  if (webhook?.removedAt) throw removed(webhook.id);
  return webhook;
}

export function removed(id: string): InvalidInput {
  const message = `The webhook ${id} is removed; create a new one.`;
  return new InvalidInput([{ path: ['webhookId'], type: 'value_error', message }]);
}

/** As the specification has it: the prefix, and 32 random bytes in Base64. */
function generateSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

async function checkUrl({ url }: CreateWebhookInput, policy: AddressPolicy): Promise<ValidationError[]> {
  try {
    await resolveAllowed(parseWebhookUrl(url, policy), policy);
    return [];
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const message = error instanceof ForbiddenAddress ? reason : `The host of ${url} cannot be looked up: ${reason}.`;
    return [{ path: ['url'], type: 'value_error', message }];
  }
}

async function checkSubject(
  em: EntityManager,
  { merchantId, storeId }: CreateWebhookInput,
): Promise<ValidationError[]> {
  if ((merchantId == null) === (storeId == null)) {
    const message = 'A webhook is for one merchant with all its stores, or for one store.';
    return [{ path: [], type: merchantId == null ? 'missing' : 'value_error', message }];
  }
  const [noun, entity, id] =
    merchantId == null
      ? (['store', StoreEntity, String(storeId)] as const)
      : (['merchant', MerchantEntity, merchantId] as const);
  if ((await findExistingIds(em, entity, [id])).size > 0) return [];
  return [{ path: [`${noun}Id`], type: 'reference_not_found', message: `There is no ${noun} ${JSON.stringify(id)}.` }];
}

/** Says what to do about an operation that is in no set of this process. */
export const unknownOperation = (operation: string, kind?: EventKind): string =>
  `No set has an operation ${JSON.stringify(operation)} with @webhook${kind ? ` for ${kind}` : ''}; set CARTE_OPERATIONS to the folder that has it, as for the service.`;

function checkKinds(
  { operation }: CreateWebhookInput,
  kinds: readonly EventKind[],
  { operations }: CreateDependencies['messages'],
): ValidationError[] {
  const events = operations.get(operation ?? '')?.events;
  if (operation != null && !events) {
    const known = [...operations.keys()].join(', ');
    const message = `${unknownOperation(operation)} Known are ${known}.`;
    return [{ path: ['operation'], type: 'reference_not_found', message }];
  }
  const others = events ? kinds.filter(kind => !events.includes(kind)) : [];
  if (others.length > 0) {
    const message = `The operation ${operation} is not for ${others.join(', ')}, only for ${events?.join(', ')}.`;
    return [{ path: ['kinds'], type: 'value_error', message }];
  }
  if (kinds.length > 0) return [];
  return [{ path: ['kinds'], type: 'too_short', message: 'A webhook needs at least one kind of event.' }];
}

/** Leaves a notice for the operator. */
export const noticeStatement = prepared('update webhook set notice = $2 where id = $1');

/** Pauses a webhook, unless somebody has; the notice says why. */
export const pauseStatement = prepared(
  'update webhook set paused_at = now(), notice = $2 where id = $1 and paused_at is null and removed_at is null',
);
