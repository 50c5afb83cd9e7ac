import { randomBytes } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { queryIn } from '../database/transaction.ts';
import { InvalidInput } from '../errors.ts';
import type { EventKind } from '../events/entities.ts';
import { currentPosition } from '../events/log.ts';
import type { AddressPolicy, Resolve } from './address.ts';
import type { ManualDependencies } from './attempts.ts';
import { type Webhook, WebhookEntity } from './entities.ts';
import { removeById } from './state.ts';
import { validateWebhookRequest } from './validate.ts';

/** What a new webhook is to be, from the graph or the command line. */
export interface WebhookRequest {
  readonly url: string;
  readonly merchantId?: string | null | undefined;
  readonly storeId?: string | null | undefined;
  readonly kinds: readonly EventKind[];
}

/** A webhook with a secret that is not shown again. */
export interface IssuedSecret {
  readonly id: string;
  readonly secret: string;
}

/** What mutations need beside the database. */
export interface WebhookDependencies extends ManualDependencies {
  readonly policy: AddressPolicy;
  /** Called when there may be something to deliver. */
  readonly onChange: () => void;
}

/** For so long messages are signed with the secret before a rotation, too. */
const previousSecretHours = 24;

/** Throws `InvalidInput` with every error of the request. */
export async function createWebhook(
  em: EntityManager,
  request: WebhookRequest,
  addresses: { readonly policy: AddressPolicy; readonly resolve?: Resolve },
): Promise<IssuedSecret> {
  await validateWebhookRequest(em, request, addresses);
  const issued = { id: `webhook_${randomBytes(6).toString('hex')}`, secret: generateSecret() };
  await em.transactional(async transaction => {
    // While it is locked no event is put into queues, so the webhook misses none after its start.
    await transaction.execute('select from webhook_progress where id = 1 for update');
    transaction.create(WebhookEntity, {
      ...issued,
      url: request.url,
      merchant: request.merchantId ?? null,
      store: request.storeId ?? null,
      kinds: [...new Set(request.kinds)],
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

/** Stops deliveries; events are kept for as long as the log keeps them. Null if there is no such webhook. */
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
      update webhook set paused_at = null, failing_since = null, notice = null where id = ? and removed_at is null`;
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

/** Removes a webhook for good; again changes nothing. Null if there is no such webhook. */
export async function removeWebhook(em: EntityManager, id: string): Promise<Webhook | null> {
  await removeById(queryIn(em), storableId(id));
  return findWebhook(em, id);
}

export function findWebhook(em: EntityManager, id: string): Promise<Webhook | null> {
  return em.findOne(WebhookEntity, { id: storableId(id) }, { refresh: true });
}

/** PostgreSQL rejects text with NUL, so no webhook has such an id. */
const storableId = (id: string) => (id.includes('\0') ? '' : id);

/** Throws `InvalidInput` for a webhook that has ended. */
export function rejectRemoved(webhook: Webhook | null): Webhook | null {
  if (!webhook?.removedAt) return webhook;
  const message = `The webhook ${webhook.id} is removed; create a new one.`;
  throw new InvalidInput([{ path: ['id'], type: 'value_error', message }]);
}

/** As the specification has it: the prefix, and 32 random bytes in Base64. */
function generateSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}
