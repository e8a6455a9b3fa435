/**
 * The search for the largest size that a provider allows: the calls of a request, the blocks or the addresses of a log query. Few providers
 * say their limit when they refuse. Every change makes a new value.
 */
export interface SizeLimit {
  /** The size to use next. */
  readonly size: number
  /** The largest size that was answered, or stated by the provider, since it last refused a size. */
  readonly allowed: number
  /** The smallest size that was refused for being too large; infinite while none was. */
  readonly refused: number
  /** Never exceeded. */
  readonly most: number
  /** By which factor the size grows when it was answered in full. */
  readonly growth: number
}

/** The search ends when the limit is known this closely: each further step costs a refused request. */
const SEARCH_ENDS_AT = 1 / 8

export function unlimitedUpTo(most: number, growth: number): SizeLimit {
  return { size: most, allowed: 0, refused: Number.POSITIVE_INFINITY, most, growth }
}

export function afterAllowed(limit: SizeLimit, asked: number): SizeLimit {
  const { size, refused, most, growth } = limit
  const allowed = Math.max(limit.allowed, Math.min(asked, refused - 1))
  // A request that was smaller for another reason says nothing about the next size.
  if (asked < size) return { ...limit, allowed }
  const grown = Math.min(Math.ceil(asked * growth), most)
  if (grown < refused) return { ...limit, allowed, size: grown }
  const isFound = refused - allowed <= Math.max(1, refused * SEARCH_ENDS_AT)
  return { ...limit, allowed, size: Math.max(1, isFound ? allowed : Math.floor((allowed + refused) / 2)) }
}

/**
 * After a size was refused for being too large.
 *
 * @param max the limit that the provider stated; `null`: none
 * @returns a limit whose `size` is below `asked`, unless `asked` is 1
 */
export function afterTooLarge(limit: SizeLimit, asked: number, max: number | null): SizeLimit {
  if (max !== null && max < asked) return { ...limit, size: max, allowed: max, refused: max + 1 }
  const allowed = limit.allowed < asked ? limit.allowed : 0
  return { ...limit, size: Math.max(half(asked), allowed), allowed, refused: Math.max(2, Math.min(limit.refused, asked)) }
}

/** After a refusal that may not last: a smaller size is used, which grows again with the answers. */
export function shrunkTo(limit: SizeLimit, size: number): SizeLimit {
  return { ...limit, size: Math.max(1, Math.min(limit.size, size)) }
}

export function half(size: number): number {
  return Math.max(1, Math.floor(size / 2))
}
