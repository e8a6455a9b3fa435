/** The size of the generated history. Everything follows from it and from the seed. */
export interface GrowthScale {
  readonly name: string
  readonly seed: number
  readonly tokens: number
  readonly trades: number
  /** The largest number of trades of one token; several tokens reach it. */
  readonly mostTrades: number
  /** Addresses that trade: more than any token has traders. */
  readonly wallets: number
  readonly creators: number
  /** The length of the history in days. */
  readonly days: number
}

/** The size of the goals. It gives about 2 million holders. */
export const FULL: GrowthScale = {
  name: 'full',
  seed: 5,
  tokens: 100_000,
  trades: 10_000_000,
  mostTrades: 500_000,
  wallets: 300_007,
  creators: 40_000,
  days: 90,
}

/** Small enough for a test, large enough for the planner to prefer indexes. */
export const SMALL: GrowthScale = {
  name: 'small',
  seed: 5,
  tokens: 6_000,
  trades: 200_000,
  mostTrades: 25_000,
  wallets: 20_011,
  creators: 1_500,
  days: 30,
}

export const SCALES: readonly GrowthScale[] = [FULL, SMALL]

/** The end of the history in Unix seconds, in the middle of a day. */
export const END = 1_795_046_400 + 20 * 3_600 + 17
export const BLOCK_SECONDS = 2
export const FIRST_BLOCK = 1_000
const DAY_SECONDS = 86_400

/** Unix seconds of the first block: the start of a day. */
export function startOf({ days }: GrowthScale): number {
  return END - (END % DAY_SECONDS) - (days - 1) * DAY_SECONDS
}

export function blockAt(scale: GrowthScale, time: number): number {
  return FIRST_BLOCK + Math.floor((time - startOf(scale)) / BLOCK_SECONDS)
}

export function timeOf(scale: GrowthScale, block: number): number {
  return startOf(scale) + (block - FIRST_BLOCK) * BLOCK_SECONDS
}

/** The newest block of the history. */
export function lastBlock(scale: GrowthScale): number {
  return blockAt(scale, END)
}

/** The exponent of the tokens' shares of trades: Zipf's law with a maximum. */
const EXPONENT = 1.15

/** The number of trades of each token, the busiest first; together about the scale's number. */
export function tradeCounts({ tokens, trades, mostTrades }: GrowthScale): readonly number[] {
  const counts = (constant: number) =>
    Array.from({ length: tokens }, (_, rank) => Math.min(mostTrades, Math.round(constant / (rank + 1) ** EXPONENT)))
  const total = (constant: number) => counts(constant).reduce((sum, count) => sum + count, 0)
  let [low, high] = [0, trades * 10]
  while (high - low > 1) {
    const middle = (low + high) / 2
    if (total(middle) > trades) high = middle
    else low = middle
  }
  return counts(low)
}
