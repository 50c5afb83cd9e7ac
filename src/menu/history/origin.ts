import type { ChangeSource } from './entities.ts';

/** By what a menu configuration is changed; the triggers of the history read it from the settings of the transaction. */
export interface ChangeOrigin {
  readonly source: Exclude<ChangeSource, 'UNKNOWN'>;
  /** Absent if no API key is used. */
  readonly keyName?: string | undefined;
}
