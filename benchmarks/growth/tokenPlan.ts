import type { Address, Hex } from '#domain/address.ts'
import { addressOf } from './hex.ts'
import { createRandom, type Random } from './random.ts'
import { END, type GrowthScale, startOf } from './scale.ts'

const DAY_SECONDS = 86_400

/** The launchpads of the history; all use the reference adapter. */
export const LAUNCHPADS = ['alpha', 'beta', 'gamma', 'delta'] as const
export type Launchpad = (typeof LAUNCHPADS)[number]

/** How a token ends: on its curve, with a complete curve, graduated, or in a pool from the start. */
export type Fate = 'bonding' | 'completed' | 'migrated' | 'none'

/** The properties of a token before its first event. */
export interface TokenPlan {
  /** 0 is the busiest. */
  readonly rank: number
  readonly address: Address
  readonly launchpad: Launchpad
  readonly fate: Fate
  readonly creator: Address
  readonly curve: Address
  readonly pool: Hex
  readonly trades: number
  /** `false`: paired with another currency, so that it has no price. */
  readonly quotedInWeth: boolean
  /** The share of buys among the trades, where both are possible. */
  readonly buys: number
  /** How likely a buy is by a new holder, and a sale sells the whole balance. */
  readonly newHolders: number
  readonly fullSales: number
  /** Unix seconds, ascending: the launch and then each trade. */
  readonly times: Float64Array
}

/** Tokens up to this rank trade until the end; the first three have a fifth of their trades on the last day. */
const LASTING = 20
const HOT = 3
/** The rank of a busy token without WETH prices, and of one with few sales. */
const UNPRICED_RANK = 7
const HONEYPOT_RANK = 5

export function planToken(scale: GrowthScale, rank: number, trades: number): TokenPlan {
  const random = createRandom(Math.imul(scale.seed, 0x9e3779b1) ^ Math.imul(rank + 1, 0x85ebca6b))
  const launchpad = launchpadOf(rank, random)
  return {
    rank,
    address: addressOf('token', rank),
    launchpad,
    fate: fateOf(rank, launchpad, trades, random),
    creator: addressOf('creator', creatorOf(scale, rank, random)),
    curve: addressOf('pool', rank),
    pool: addressOf('graduated', rank),
    trades,
    quotedInWeth: rank !== UNPRICED_RANK && !(launchpad === 'gamma' && random.chance(0.1)),
    buys: rank === HONEYPOT_RANK ? 0.9999 : 0.6,
    newHolders: rank < HOT ? 0.9 : 0.7,
    fullSales: rank < HOT ? 0.35 : 0.65,
    times: timesOf(scale, rank, trades, random),
  }
}

function launchpadOf(rank: number, random: Random): Launchpad {
  if (rank % 2_500 === 1_001) return 'delta'
  if (rank === 2 || rank === UNPRICED_RANK) return 'gamma'
  const at = random.unit()
  return at < 0.7 ? 'alpha' : at < 0.95 ? 'beta' : 'gamma'
}

function fateOf(rank: number, launchpad: Launchpad, trades: number, random: Random): Fate {
  if (launchpad === 'gamma') return 'none'
  if (rank % 5_000 === 4_017) return 'completed'
  if (rank < 300) return 'migrated'
  return trades > 40 && random.chance(0.3) ? 'migrated' : 'bonding'
}

/** One creator has a twentieth of all tokens, the next a hundredth; the others have few. */
function creatorOf({ creators }: GrowthScale, rank: number, random: Random): number {
  const at = random.unit()
  if (rank >= LASTING && at < 0.05) return 0
  if (rank >= LASTING && at < 0.06) return 1
  return random.integer(2, creators - 1)
}

function timesOf(scale: GrowthScale, rank: number, trades: number, random: Random): Float64Array {
  const start = startOf(scale)
  const length = END - start
  const lasting = rank < LASTING
  const born = start + Math.floor(lasting ? random.unit() * length * 0.2 : Math.sqrt(random.unit()) * length * 0.998)
  const end = lasting ? END : Math.min(END, born + random.spread(600, length / 3))
  const hot = rank < HOT ? Math.floor(trades / 5) : 0
  const times = new Float64Array(trades + 1)
  times[0] = born
  spreadOver(times.subarray(1, 1 + trades - hot), born, end - (hot > 0 ? DAY_SECONDS : 0), lasting ? 1 : 2.5, random)
  spreadOver(times.subarray(1 + trades - hot), END - DAY_SECONDS, END, 1, random)
  return times
}

/** Fills in ascending times between the two; a larger power makes more of them early. */
function spreadOver(times: Float64Array, from: number, to: number, power: number, random: Random): void {
  let sum = 0
  for (let index = 0; index < times.length; index++) {
    sum -= Math.log(1 - random.unit())
    times[index] = sum
  }
  const total = sum - Math.log(1 - random.unit())
  for (let index = 0; index < times.length; index++) times[index] = from + (to - from) * ((times[index] ?? 0) / total) ** power
}
