/** Chance that repeats itself: the same seed gives the same draws on every machine. */
export interface Random {
  /** Whether something of this probability happens. */
  readonly chance: (probability: number) => boolean;
  /** A whole number, both ends included. */
  readonly between: (least: number, most: number) => number;
  readonly pick: <T>(list: readonly T[]) => T;
  /** All members, in another order. */
  readonly shuffle: <T>(list: readonly T[]) => T[];
}

export function seededRandom(seed: string): Random {
  const next = fractions(seed);
  const between = (least: number, most: number) => least + Math.floor(next() * (most - least + 1));
  return {
    chance: probability => next() < probability,
    between,
    pick: list => {
      const [picked] = list.slice(between(0, list.length - 1));
      if (picked === undefined) throw new Error('There is nothing to pick from an empty list');
      return picked;
    },
    shuffle: list =>
      list
        .map(member => ({ member, rank: next() }))
        .sort((one, other) => one.rank - other.rank)
        .map(({ member }) => member),
  };
}

/** A UUID of version 7 whose random part comes from the given source. */
export function timeOrderedId(moment: Date, random: Random): string {
  const time = moment.getTime().toString(16).padStart(12, '0');
  const hex = (length: number) => Array.from({ length }, () => random.between(0, 15).toString(16)).join('');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hex(3)}-${random.pick(['8', '9', 'a', 'b'])}${hex(3)}-${hex(12)}`;
}

/** Numbers from 0 to below 1: the generator mulberry32, started from the FNV-1a hash of the seed. */
function fractions(seed: string): () => number {
  let state = [...seed].reduce(
    (hash, letter) => Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x01000193),
    0x811c9dc5,
  );
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
