/** A random number generator with the same numbers for the same seed on every machine. */
export interface Random {
  /** In [0, 1). */
  unit(): number
  /** An integer, both ends included. */
  integer(min: number, max: number): number
  chance(probability: number): boolean
  /** Between the two, uniform in the logarithm. */
  spread(min: number, max: number): number
  /** 32 bits. */
  word(): number
}

/** splitmix32: cheap, because the generator draws some hundred million numbers. */
export function createRandom(seed: number): Random {
  let state = seed | 0
  const word = (): number => {
    state = (state + 0x9e3779b9) | 0
    let mixed = state ^ (state >>> 16)
    mixed = Math.imul(mixed, 0x21f0aaad)
    mixed ^= mixed >>> 15
    mixed = Math.imul(mixed, 0x735a2d97)
    return (mixed ^ (mixed >>> 15)) >>> 0
  }
  const unit = () => word() / 2 ** 32
  return {
    unit,
    word,
    integer: (min, max) => min + Math.floor(unit() * (max - min + 1)),
    chance: probability => unit() < probability,
    spread: (min, max) => min * (max / min) ** unit(),
  }
}
