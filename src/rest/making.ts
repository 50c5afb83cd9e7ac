import type { Encoding } from '../answers/encoding.ts';
import type { Packed } from '../answers/packed.ts';
import type { Operation } from './contract/contract.ts';
import { namesInPath } from './contract/parameters.ts';
import { Problem } from './errors.ts';
import type { Variables } from './written.ts';

export interface Answer {
  readonly status: 200 | 304;
  readonly tag: string | undefined;
  readonly body: Buffer | Packed | undefined;
  /** Where the body depends on Accept-Encoding: how it is encoded. */
  readonly encoding?: Encoding | 'identity';
}

interface Asked {
  readonly variables: Variables;
  readonly createContext: () => unknown;
  /** The tag that holds, where it was looked up. */
  readonly current: string | undefined;
  readonly accepted: string | undefined;
}

/** Makes the answer to a request of an operation. */
export type Make = (asked: Asked) => Promise<Answer>;

/** In the same words for what does not exist and for what the key does not reach. */
export function absent({ route }: Operation): never {
  const names = namesInPath(route.path).join(', ');
  throw new Problem(404, `Nothing with this ${names} is within the reach of the API key.`);
}
