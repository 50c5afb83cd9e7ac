import type { EntityManager } from '@mikro-orm/postgresql';
import { InvalidInput, type ValidationError } from '../errors.ts';
import { MerchantEntity } from '../merchant/entities.ts';
import { StoreEntity } from '../store/entities.ts';
import {
  type AddressPolicy,
  ForbiddenAddress,
  parseWebhookUrl,
  type Resolve,
  resolveAllowed,
  resolveHost,
} from './address.ts';
import type { WebhookRequest } from './webhooks.ts';

interface Addresses {
  readonly policy: AddressPolicy;
  readonly resolve?: Resolve;
}

/** Throws `InvalidInput` with all errors of a request; their paths start at the argument `input`. */
export async function validateWebhookRequest(
  em: EntityManager,
  request: WebhookRequest,
  addresses: Addresses,
): Promise<void> {
  const errors = [
    ...(await checkUrl(request, addresses)),
    ...(await checkSubject(em, request)),
    ...checkKinds(request),
  ];
  if (errors.length > 0) throw new InvalidInput(errors.map(error => ({ ...error, path: ['input', ...error.path] })));
}

async function checkUrl(
  { url }: WebhookRequest,
  { policy, resolve = resolveHost }: Addresses,
): Promise<ValidationError[]> {
  try {
    await resolveAllowed(parseWebhookUrl(url, policy), policy, resolve);
    return [];
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const message = error instanceof ForbiddenAddress ? reason : `The host of ${url} cannot be looked up: ${reason}.`;
    return [{ path: ['url'], type: 'value_error', message }];
  }
}

async function checkSubject(em: EntityManager, { merchantId, storeId }: WebhookRequest): Promise<ValidationError[]> {
  if ((merchantId == null) === (storeId == null)) {
    const message = 'A webhook is for one merchant with all its stores, or for one store.';
    return [{ path: [], type: merchantId == null ? 'missing' : 'value_error', message }];
  }
  const [name, noun, id] =
    merchantId == null ? ['storeId', 'store', String(storeId)] : ['merchantId', 'merchant', merchantId];
  const isKnown =
    !id.includes('\0') &&
    (await (noun === 'store' ? em.findOne(StoreEntity, { id }) : em.findOne(MerchantEntity, { id }))) !== null;
  if (isKnown) return [];
  return [{ path: [name], type: 'reference_not_found', message: `There is no ${noun} ${JSON.stringify(id)}.` }];
}

function checkKinds({ kinds }: WebhookRequest): ValidationError[] {
  if (kinds.length > 0) return [];
  return [{ path: ['kinds'], type: 'too_short', message: 'A webhook needs at least one kind of event.' }];
}
