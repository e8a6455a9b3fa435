/**
 * The search for the largest size that a provider allows: the calls of a request, the blocks or the addresses of a log query. Few providers
 * say their limit when they refuse, and what they refuse today they may allow tomorrow. So a limit that was found is tried again after some
 * answers, and after twice as many each time it is refused again. Every change makes a new value.
 */
export interface SizeLimit {
  /** The size to use next. */
  readonly size: number
  /** The largest size that was answered since a size was last refused. */
  readonly allowed: number
  /** The smallest size that was refused for being too large; infinite while none was. */
  readonly refused: number
  /** Never exceeded. */
  readonly most: number
  /** By which factor the size grows when it was answered in full. */
  readonly growth: number
  /** After this many answers of the found size a larger one is tried. */
  readonly patience: number
  /** Answers since the size was found or tried. */
  readonly answers: number
}

/** The search ends when the limit is known this closely: each further step costs a refused request. */
const SEARCH_ENDS_AT = 1 / 8
const FIRST_PATIENCE = 16
/** Bounds the cost of a limit that lasts to a few refused requests in 256. */
const MAX_PATIENCE = 256

export function unlimitedUpTo(most: number, growth: number): SizeLimit {
  return { size: most, allowed: 0, refused: Number.POSITIVE_INFINITY, most, growth, patience: FIRST_PATIENCE, answers: 0 }
}

export function afterAllowed(limit: SizeLimit, asked: number): SizeLimit {
  const { size, refused, most, growth, patience, answers } = limit
  // The limit is wider than it was.
  if (asked >= refused) return afterAllowed({ ...limit, refused: Number.POSITIVE_INFINITY, patience: FIRST_PATIENCE, answers: 0 }, asked)
  const allowed = Math.max(limit.allowed, asked)
  // A request that was smaller for another reason says nothing about the next size.
  if (asked < size) return { ...limit, allowed }
  const grown = Math.min(Math.ceil(asked * growth), most)
  if (grown < refused) return { ...limit, allowed, size: grown }
  if (refused - allowed > Math.max(1, refused * SEARCH_ENDS_AT)) return { ...limit, allowed, size: Math.floor((allowed + refused) / 2) }
  return answers + 1 < patience
    ? { ...limit, allowed, size: allowed, answers: answers + 1 }
    : { ...limit, allowed, size: grown, answers: 0 }
}

/**
 * After a size was refused for being too large.
 *
 * @param hint a size that the provider's words suggest, right or wrong; `null`: none
 * @returns a limit whose `size` is below `asked`, unless `asked` is 1
 */
export function afterTooLarge(limit: SizeLimit, asked: number, hint: number | null): SizeLimit {
  // A single block, address or call was too large.
  if (asked <= 1) return shrunkTo(limit, 1)
  const { most, growth, patience } = limit
  const allowed = limit.allowed < asked ? limit.allowed : 0
  const refused = Math.min(limit.refused, asked)
  const isTry = limit.size >= limit.refused && asked >= limit.size && allowed > 0
  if (isTry) return { ...limit, size: allowed, allowed, refused: allowed + 1, patience: Math.min(patience * 2, MAX_PATIENCE), answers: 0 }
  const isUseful = hint !== null && hint < asked && hint >= Math.max(1, allowed)
  // The hint is right: that size was answered, and the words name it again.
  if (isUseful && hint === allowed) return { size: hint, allowed, refused: hint + 1, most, growth, patience, answers: 0 }
  return { size: isUseful ? hint : Math.max(half(asked), allowed), allowed, refused, most, growth, patience, answers: 0 }
}

/** After a refusal that may not last: a smaller size is used, which grows again with the answers. */
export function shrunkTo(limit: SizeLimit, size: number): SizeLimit {
  return { ...limit, size: Math.max(1, Math.min(limit.size, size)) }
}

export function half(size: number): number {
  return Math.max(1, Math.floor(size / 2))
}
