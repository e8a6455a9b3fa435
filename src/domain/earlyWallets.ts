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
