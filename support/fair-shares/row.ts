/** What the attacks need to know of the data. */
export interface Target {
  readonly url: string;
  readonly keys: {
    /** Of the attacking merchant: reads only, with orders, and with all writes. */
    readonly read: string;
    readonly orders: string;
    readonly write: string;
    /** Well-formed, but issued by nobody. */
    readonly unknown: string;
  };
  /** The store with the largest menu, thousands of events and a history. */
  readonly largeStoreId: string;
  /** All stores with orders of the attacking merchant. */
  readonly storeIds: readonly string[];
  /** Revisions of its menu, oldest first. */
  readonly revisions: readonly number[];
  /** The position before all events of its orders. */
  readonly firstCursor: string;
  /** The position of the first revision of its menu, for `menuEvents`. */
  readonly firstMenuCursor: string;
  /** Orders of the large store, 500 for each list. */
  readonly orderIds: readonly (readonly string[])[];
  /** A store whose only item can be made cheaper than free. */
  readonly rebateStoreId: string;
  readonly merchantId: string;
  /** Body of a POST of the large menu. */
  readonly menuBody: string;
  /** Divides the sizes of attacks in the short form. */
  readonly divisor: number;
}

export interface Outcome {
  /** As of `describeResponse`. */
  readonly outcome: string;
  /** Events that a stream delivered. */
  readonly events?: number;
}

/** Sends one request of an attack, or opens one connection. */
export type Attack = (turn: number) => Promise<Outcome>;

export type Caller = 'no key' | 'unknown key' | 'key';

/**
 * What a row must show beside that the other tenant is not hurt. `cheap`: little CPU for each request, served or refused. `refused`: that as
 * well, and no request is accepted. `allowed`: what the published sizes allow, however much CPU it takes.
 */
export type Goal = 'cheap' | 'refused' | 'allowed';

export interface Row {
  readonly name: string;
  readonly caller: Caller;
  readonly atOnce: number;
  readonly requests: number;
  readonly goal: Goal;
  /** Whether it is in the short form. */
  readonly isShort: boolean;
  /** Builds the bodies before the clock starts. */
  readonly prepare: (target: Target) => Attack | Promise<Attack>;
  /** Reports what the attack left behind, when it is over. */
  readonly inspect?: (target: Target) => Promise<string>;
}
