/** A random generator that gives the same numbers for the same seed on every machine. */
export interface Random {
  /** In [0, 1). */
  unit(): number
  /** An integer from `min` to `max`, both included. */
  integer(min: number, max: number): number
  chance(probability: number): boolean
  /** @throws `RangeError` for an empty list */
  pick<T>(list: readonly T[]): T
  /** An index, with a probability in proportion to its weight. */
  weighted(weights: readonly number[]): number
  /** A number from `min` to `max`, uniform on a logarithmic scale: many small numbers and a few large ones. */
  spread(min: number, max: number): number
}

/** sfc32 of Chris Doty-Humphrey's PractRand: 128 bits of state, period at least 2^32. Not for secrets. */
export function createRandom(seed: number): Random {
  let [a, b, c, counter] = [seed | 0, Math.trunc(seed / 2 ** 32) | 0, 0x9e3779b9 | 0, 1]
  const next = (): number => {
    const sum = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + sum) | 0
    return (sum >>> 0) / 2 ** 32
  }
  // The first numbers still correlate with the seed.
  for (let round = 0; round < 16; round++) next()

  const integer = (min: number, max: number) => min + Math.floor(next() * (max - min + 1))
  return {
    unit: next,
    integer,
    chance: probability => next() < probability,
    pick: <T>(list: readonly T[]): T => {
      if (list.length === 0) throw new RangeError('nothing to pick from')
      return list[integer(0, list.length - 1)] as T
    },
    weighted: weights => {
      let rest = next() * weights.reduce((sum, weight) => sum + weight, 0)
      for (const [index, weight] of weights.entries()) {
        rest -= weight
        if (rest < 0) return index
      }
      return weights.length - 1
    },
    spread: (min, max) => min * (max / min) ** next(),
  }
}
