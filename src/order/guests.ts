import { hash } from 'node:crypto';
import { InvalidInput, TooManyRequests } from '@carte/base/errors';
import { checkLength, checkRange } from '@carte/base/validation';
import type { EntityManager } from '@mikro-orm/postgresql';
import { advisoryLocks } from '../database/advisory-locks.ts';
import { prepared, type Query, queryIn } from '../database/query.ts';
import type { PlaceOrderInput, QuoteOrderInput } from '../generated/graph.ts';
import type { GuestOrderLimits } from '../limits.ts';
import { currentShare } from '../scheduling/current-request.ts';
import { type TokenBucket, tokenBuckets } from '../scheduling/token-bucket.ts';
import type { AccessScope } from '../scope.ts';
import { currencyOf } from '../store/currency.ts';
import type { Store } from '../store/entities.ts';
import type { Order } from './entities.ts';
import { createToken, deleteExpiredTokens, saveToken } from './guest-tokens.ts';
import { isClaimed } from './idempotency.ts';
import { checkInput } from './input.ts';
import { type GuestRules, type Placement, placeOrder } from './place.ts';
import type { OrderProblem } from './problems.ts';
import { addMinutes, type Quote } from './quote.ts';
import { totalOf } from './service.ts';

/** An order that is about to be stored, for the operator's check. */
export interface UncheckedOrder {
  readonly store: Store;
  readonly input: PlaceOrderInput;
  readonly quote: NonNullable<Quote['order']>;
  readonly total: number;
  readonly currency: string | null;
  readonly keyId: string;
  /** The network address of the guest. */
  readonly address: string;
}

/** Resolves to the reason why the operator refuses an order, in words for the guest; undefined if it does not. */
export type CheckGuestOrder = (order: UncheckedOrder) => Promise<string | undefined>;

interface Counted {
  readonly keyId: string;
  readonly storeId: string;
}

export interface GuestOrders {
  readonly limits: GuestOrderLimits;
  /** Counts an attempt for the address; throws `TooManyRequests` beyond a limit, also those of key and store. */
  readonly countAttempt: (order: Counted) => void;
  /** Counts an order for key and store, as it is stored; throws `TooManyRequests` beyond a limit. The returned function takes it back. */
  readonly countPlaced: (order: Counted) => () => void;
  /** Absent without a check of the operator. */
  readonly check?: CheckGuestOrder | undefined;
}

const secondsPerHour = 3_600;

/** Creates what the orders of guests share in a process. */
export function createGuestOrders(limits: GuestOrderLimits, check?: CheckGuestOrder): GuestOrders {
  const addresses = tokenBuckets(limits.perAddress, secondsPerHour);
  const keys = tokenBuckets(limits.perKey, secondsPerHour);
  const stores = tokenBuckets(limits.perStore, secondsPerHour);
  const limitsOf = ({ keyId, storeId }: Counted): readonly HourlyLimit[] => [
    { limit: limits.perKey, bucket: keys.memo(keyId), rule: 'There are too many orders with this API key.' },
    { limit: limits.perStore, bucket: stores.memo(storeId), rule: 'The store gets too many orders of guests.' },
  ];
  return {
    limits,
    check,
    countAttempt(order) {
      const bucket = addresses.memo(currentShare().id);
      assertWithin([
        { limit: limits.perAddress, bucket, rule: `An address may place ${limits.perAddress} orders an hour.` },
        ...limitsOf(order),
      ]);
      bucket.take(1);
    },
    countPlaced(order) {
      const counted = limitsOf(order);
      assertWithin(counted);
      for (const { bucket } of counted) bucket.take(1);
      return () => {
        for (const { bucket } of counted) bucket.take(-1);
      };
    },
  };
}

interface HourlyLimit {
  /** 0: unlimited. */
  readonly limit: number;
  readonly bucket: TokenBucket;
  readonly rule: string;
}

function assertWithin(limits: readonly HourlyLimit[]): void {
  for (const { limit, bucket, rule } of limits) {
    const waitMs = limit > 0 ? bucket.waitMs(1) : 0;
    if (waitMs > 0) throw tooMany(rule, Math.ceil(waitMs / 1_000));
  }
}

/** Guests do not learn from it how many orders others have placed. */
const tooMany = (rule: string, retryAfterSeconds: number) =>
  new TooManyRequests(`${rule} Try again in ${retryAfterSeconds} seconds.`, { retryAfterSeconds });

/** As long as a UUID: whoever knows it gets the order. */
const keyLength = { min: 36, max: Number.POSITIVE_INFINITY };
const verificationLength = { min: 0, max: 4096 };
const maxDaysAhead = 30;
const minutesPerDay = 1440;

/** Finds what a guest's order must not have, beside what no order may. */
export function* checkGuestInput(
  input: QuoteOrderInput,
  { units }: GuestOrderLimits,
  now: Date,
): Generator<OrderProblem> {
  const { payments, charges, discounts, lines, readyBy } = input;
  for (const [name, list] of Object.entries({ payments, charges, discounts })) {
    if (list == null) continue;
    yield { path: ['input', name], type: 'value_error', message: `the order of a guest has no ${name}` };
  }
  const ordered = lines.reduce((sum, { quantity = 1 }) => sum + quantity, 0);
  if (units > 0) yield* checkRange(['input', 'lines'], ordered, { min: Number.NEGATIVE_INFINITY, max: units });
  const latest = addMinutes(now, maxDaysAhead * minutesPerDay);
  if (readyBy && readyBy > latest) {
    const rule = `an order of a guest is ready within ${maxDaysAhead} days, so ${latest.toISOString()} or earlier`;
    yield { path: ['input', 'readyBy'], type: 'value_error', message: `${readyBy.toISOString()} is too late; ${rule}` };
  }
}

interface GuestPlacement extends Omit<Placement, 'guest'> {
  readonly scope: AccessScope;
  readonly guestOrders: GuestOrders;
  /** Quotes the order as a guest would get it. */
  readonly quote: () => Promise<Quote>;
}

/** Places the order of a guest, with a new token; null as `placeOrder`. */
export async function placeGuestOrder(
  em: EntityManager,
  store: Store,
  { guestOrders, quote, ...placement }: GuestPlacement,
): Promise<{ readonly order: Order; readonly guestToken: string } | null> {
  const { input, scope } = placement;
  const { limits } = guestOrders;
  const { keyId = '' } = scope;
  const guestToken = createToken();
  const idempotencyKey = `guest ${keyId} ${input.idempotencyKey}`;
  const inputErrors = [
    ...checkLength(['input', 'idempotencyKey'], input.idempotencyKey, keyLength),
    ...checkLength(['input', 'verification'], input.verification, verificationLength),
    ...checkGuestInput(input, limits, new Date()),
  ];
  const isSound = [...checkInput(input), ...inputErrors].length === 0;
  // One that is placed already was counted and checked.
  const isNew = isSound && !(await isClaimed(queryIn(em), store.id, idempotencyKey));
  const admitted = isNew ? await admit(store, { guestOrders, quote: await quote(), input, keyId }) : undefined;
  const { id: client } = currentShare();
  const addressHash = hash('sha256', client, 'buffer').readUInt16BE();
  let giveBack: (() => void) | undefined;
  const guest: GuestRules = {
    inputErrors,
    idempotencyKey,
    checked: guestOrders.check && admitted,
    async beforeInsert(query) {
      if (!admitted) throw new InvalidInput([notAdmitted]);
      await limitPending(query, { storeId: store.id, addressHash, limits });
      await deleteExpiredTokens(query, store.id);
      // Not again where the transaction is repeated.
      giveBack ??= guestOrders.countPlaced({ keyId, storeId: store.id });
    },
    saveToken: (query, orderId) =>
      saveToken(query, { token: guestToken, orderId, storeId: store.id, keyId, addressHash }),
  };
  try {
    const order = await placeOrder(em, store, { ...placement, guest });
    return order && { order, guestToken };
  } catch (error) {
    giveBack?.();
    throw error;
  }
}

/** Of an order that could not be placed at first, or whose idempotency key has expired meanwhile. */
const notAdmitted: OrderProblem = {
  path: ['input'],
  type: 'quote_changed',
  message: 'what can be ordered has changed while the order was placed; place it again',
};

interface Admission {
  readonly guestOrders: GuestOrders;
  readonly quote: Quote;
  readonly input: PlaceOrderInput;
  readonly keyId: string;
}

/**
 * Counts an order that could be placed, and has the operator check it. Not in the transaction, which must not wait for others. Undefined if it could not: it
 * is refused in the transaction, with every reason.
 */
async function admit(store: Store, { guestOrders, quote, input, keyId }: Admission): Promise<Quote | undefined> {
  if (quote.problems.length > 0 || !quote.order) return undefined;
  guestOrders.countAttempt({ keyId, storeId: store.id });
  const address = currentShare().id.slice(keyId.length + 1);
  const amounts = { total: Number(totalOf(quote.order)), currency: currencyOf(store) };
  const refusal = await guestOrders.check?.({ store, input, quote: quote.order, ...amounts, keyId, address });
  if (refusal !== undefined) throw new InvalidInput([{ path: ['input'], type: 'value_error', message: refusal }]);
  return quote;
}

interface PendingLimit {
  readonly storeId: string;
  readonly addressHash: number;
  readonly limits: GuestOrderLimits;
}

const pendingRetrySeconds = 60;

/** Throws `TooManyRequests` if the store has too many orders of guests that it has not decided on. Other guests of the store wait until the transaction ends. */
async function limitPending(query: Query, { storeId, addressHash, limits }: PendingLimit): Promise<void> {
  const { pendingPerAddress, pendingPerStore } = limits;
  if (pendingPerAddress === 0 && pendingPerStore === 0) return;
  await query(lockStatement, [storeId]);
  const [found] = await query<{ ofAddress: number; ofStore: number }>(pendingStatement, [storeId, addressHash]);
  const { ofAddress = 0, ofStore = 0 } = found ?? {};
  const isFull = pendingPerStore > 0 && ofStore >= pendingPerStore;
  if (isFull) throw tooMany('The store has too many orders of guests to decide on.', pendingRetrySeconds);
  if (pendingPerAddress > 0 && ofAddress >= pendingPerAddress) {
    throw tooMany('The store has too many orders from this address to decide on.', pendingRetrySeconds);
  }
}

const lockStatement = prepared(`select pg_advisory_xact_lock(${advisoryLocks.guestOrders}, hashtext($1))`);

// Older ones are of a store that does not decide on orders at all.
const pendingStatement = prepared(`
  select count(*) filter (where token.address_hash = $2)::int as "ofAddress", count(*)::int as "ofStore"
  from orders left join guest_token token on token.order_id = orders.id
  where orders.store_id = $1 and status = 'PENDING' and placed_by_guest and created_at > now() - interval '1 day'`);
