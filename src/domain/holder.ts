/** `contract`: it has code, and no launchpad announced it. Only the largest holders are checked for code; others are a `wallet`. */
export const HOLDER_TYPES = ['wallet', 'creator', 'pool', 'curve', 'locker', 'burn', 'contract'] as const
export type HolderType = (typeof HOLDER_TYPES)[number]

/** Types of holders whose balance is a reserve, or out of circulation for good. Shares leave them out. */
export const RESERVE_TYPES: readonly HolderType[] = ['pool', 'curve', 'locker', 'burn']

/** The minimum share of each size of holders, in percent of the total supply. */
export const HOLDER_SIZES = [5, 1, 0.5, 0.1, 0] as const

/** How an account came by a token early. An account may have several classes. */
export const EARLY_CLASSES = ['creator', 'sniper', 'bundler', 'insider'] as const
export type EarlyClass = (typeof EARLY_CLASSES)[number]

/** A balance keeps its account's classes as the sum of their bits. A class that an account has is never taken away, except by a reorg. */
export const CLASS_BITS: Readonly<Record<EarlyClass, number>> = { creator: 1, sniper: 2, bundler: 4, insider: 8 }

/** The field of a token's row with what the accounts of a class hold together. */
export const HELD_FIELDS = { creator: 'creatorHeld', sniper: 'sniperHeld', bundler: 'bundlerHeld', insider: 'insiderHeld' } as const

const SNIPER_SECONDS = 5
const BUNDLER_SECONDS = 5

/** The smallest number of different makers in one block, without the creator, that are taken for one buyer. */
export const BUNDLE_MAKERS = 4

/** The classes whose bits are set, in the order of `EARLY_CLASSES`. */
export function classesOf(bits: number): readonly EarlyClass[] {
  return EARLY_CLASSES.filter(name => (bits & CLASS_BITS[name]) !== 0)
}

/**
 * Whether a buy by another account than the creator makes it a sniper.
 *
 * @param at block time of the buy, Unix seconds
 * @param openedAt block time of the token's first trade that the creator did not make
 */
export function isSnipe(at: number, openedAt: number): boolean {
  return isWithin(SNIPER_SECONDS, at, openedAt)
}

/**
 * Whether buys of a block can be a bundle.
 *
 * @param at the block's time, Unix seconds
 * @param launchedAt time of the block with the token's launch
 */
export function isAtLaunch(at: number, launchedAt: number): boolean {
  return isWithin(BUNDLER_SECONDS, at, launchedAt)
}

/** The times of later blocks may fall: what is long before is as far away as what is long after. */
function isWithin(seconds: number, at: number, start: number): boolean {
  return Math.abs(at - start) <= seconds
}

/**
 * What an account's balance of a token cost by average price, and what its sales brought beyond that, in one currency's smallest units.
 * `null`: not known.
 */
export interface CostBasis {
  readonly cost: bigint | null
  readonly realized: bigint | null
}

/** @param paid `null`: not known */
export function afterBuy({ cost, realized }: CostBasis, paid: bigint | null): CostBasis {
  return { cost: cost === null || paid === null ? null : cost + paid, realized }
}

/**
 * The sold amount takes its share of the cost with it, rounded down.
 *
 * @param held the balance before
 * @param received `null`: not known
 */
export function afterSale({ cost, realized }: CostBasis, held: bigint, amount: bigint, received: bigint | null): CostBasis {
  const share = shareOf(cost, held, amount)
  const profit = saleProfit(cost, held, amount, received)
  return {
    cost: cost === null || share === null ? null : cost - share,
    realized: realized === null || profit === null ? null : realized + profit,
  }
}

/** What one sale brings beyond its share of the cost; parameters as of `afterSale`. `null`: not known. */
export function saleProfit(cost: bigint | null, held: bigint, amount: bigint, received: bigint | null): bigint | null {
  const share = shareOf(cost, held, amount)
  return share === null || received === null ? null : received - share
}

/** Tokens that were bought elsewhere, or were a gift, make the cost of the whole balance unknown. */
export function afterTransferIn({ realized }: CostBasis): CostBasis {
  return { cost: null, realized }
}

/** The sent amount takes its share of the cost with it, and earns nothing. */
export function afterTransferOut({ cost, realized }: CostBasis, held: bigint, amount: bigint): CostBasis {
  const share = shareOf(cost, held, amount)
  return { cost: cost === null || share === null ? null : cost - share, realized }
}

/** An empty balance cost nothing: the next purchase starts a new average. */
export function atBalance(basis: CostBasis, held: bigint): CostBasis {
  return held === 0n ? { ...basis, cost: 0n } : basis
}

/** `null`: the cost is not known, or more leaves than was held, so that a part of it came in an unknown way. */
function shareOf(cost: bigint | null, held: bigint, amount: bigint): bigint | null {
  if (amount === 0n) return 0n
  return cost === null || amount > held ? null : (cost * amount) / held
}
