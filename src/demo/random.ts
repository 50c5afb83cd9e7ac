export type Random = ReturnType<typeof seededRandom>;

/** A deterministic pseudo-random generator: the same seed gives the same numbers on every machine. */
export function seededRandom(seed: string) {
  const next = mulberry32(seed);
  /** A uniform integer, both bounds included. */
  const between = (min: number, max: number) => min + Math.floor(next() * (max - min + 1));
  return {
    /** Returns true with a probability. */
    chance: (probability: number) => next() < probability,
    between,
    pick<T>(list: readonly T[]): T {
      const [picked] = list.slice(between(0, list.length - 1));
      if (picked === undefined) throw new Error('An empty list has no element to pick');
      return picked;
    },
    shuffle: <T>(list: readonly T[]): T[] =>
      list
        .map(member => ({ member, rank: next() }))
        .sort((a, b) => a.rank - b.rank)
        .map(({ member }) => member),
  };
}

/** A UUIDv7 whose random bits come from the generator. */
export function timeOrderedId(moment: Date, random: Random): string {
  const time = moment.getTime().toString(16).padStart(12, '0');
  const hex = (length: number) => Array.from({ length }, () => random.between(0, 15).toString(16)).join('');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hex(3)}-${random.pick(['8', '9', 'a', 'b'])}${hex(3)}-${hex(12)}`;
}

/** Numbers in [0, 1) of mulberry32, seeded with the FNV-1a hash of a string. */
function mulberry32(seed: string): () => number {
  let state = [...seed].reduce(
    (hash, character) => Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193),
    0x811c9dc5,
  );
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
