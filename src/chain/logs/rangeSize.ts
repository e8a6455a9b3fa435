import type { RangeLimit } from '#rpc/rangeLimit.ts'

/** How many blocks to ask of one provider in one query of logs, learned from its answers and refusals. */
export interface RangeSize {
  /** To ask for next. */
  readonly blocks: number
  /** The most that it has answered, or says that it answers, since it last refused a number of blocks. */
  readonly worked: number
  /** The least that it has refused for being too many blocks; infinite while it has refused none. */
  readonly refused: number
}

/** No provider answers more in one query, and a bigger one would be a long wait lost when it fails. */
export const MAX_RANGE_BLOCKS = 100_000

const GROWTH = 1.5
/** The search for an unsaid limit ends when it is known this closely: each further step costs a refused call. */
const SEARCH_ENDS_AT = 1 / 8

export const UNLIMITED_RANGE: RangeSize = { blocks: MAX_RANGE_BLOCKS, worked: 0, refused: Number.POSITIVE_INFINITY }

/** After a query of `asked` blocks was answered. */
export function afterAnsweredRange(size: RangeSize, asked: number): RangeSize {
  const worked = Math.max(size.worked, Math.min(asked, size.refused - 1))
  // A query that was smaller for another reason, say the end of the chain, tells nothing about the next size.
  if (asked < size.blocks) return { ...size, worked }
  const grown = Math.min(Math.ceil(asked * GROWTH), MAX_RANGE_BLOCKS)
  if (grown < size.refused) return { ...size, worked, blocks: grown }
  const gap = size.refused - worked
  const blocks = gap > Math.max(1, size.refused * SEARCH_ENDS_AT) ? Math.floor((worked + size.refused) / 2) : worked
  return { ...size, worked, blocks: Math.max(1, blocks) }
}

/**
 * After a query of `asked` blocks was refused.
 *
 * @returns a size whose `blocks` is below `asked`, unless `asked` is 1
 */
export function afterRefusedRange(size: RangeSize, asked: number, limit: RangeLimit): RangeSize {
  const half = Math.max(1, Math.floor(asked / 2))
  switch (limit.kind) {
    case 'blocks': {
      if (limit.max !== null && limit.max < asked) return { blocks: limit.max, worked: limit.max, refused: limit.max + 1 }
      const worked = size.worked < asked ? size.worked : 0
      return { blocks: Math.max(half, worked), worked, refused: Math.max(2, Math.min(size.refused, asked)) }
    }
    case 'suggested': {
      const suggested = limit.to - limit.from + 1
      return { ...size, blocks: suggested >= 1 && suggested < asked ? suggested : half }
    }
    case 'density':
      return { ...size, blocks: half }
    case 'addresses':
    case 'unlisted':
      return size
  }
}
