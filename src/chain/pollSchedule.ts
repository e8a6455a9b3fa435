/** When to look for a new head of a provider that pushes none: in step with its blocks. Every look makes a new one. */
export interface LookPace {
  /** The newest block that was seen; `null`: none yet. */
  readonly head: number | null
  /** From the look that saw it to the first one for the next block; `null`: half a block's time. */
  readonly firstMs: number | null
  /** Looks since, without a new block. */
  readonly looks: number
  /** How many blocks in a row the first look found: it may be far too late. */
  readonly firstFound: number
}

export const NO_PACE: LookPace = { head: null, firstMs: null, looks: 0, firstFound: 0 }

/** So many looks for a block follow close on each other; a chain that is later than that is looked at about twice per block. */
const CLOSE_LOOKS = 6
/** The first look moves by at most two to the power of this steps. */
const MOST_DOUBLINGS = 4
/** Of a block's time between them. */
const STEP = 1 / 16
const STEP_LEAST_MS = 100
const STEP_MOST_MS = 500
const POLL_LEAST_MS = 250
const POLL_MOST_MS = 4_000
const POLL_UNKNOWN_MS = 1_000
/** A provider that is asked nothing for 30 s would count as silent. */
const FIRST_MOST_MS = 15_000

/**
 * After a look. The second look for a block is to find it: then it came in the step before. What the first one finds may be older, so the next first
 * look is earlier by a step, from the third time in a row on by twice as much each; what took more than two was looked for too early. So a chain with regular blocks costs two looks per block and is
 * seen about half a step late; one with irregular blocks costs up to four.
 *
 * @param head the block that it saw; `null`: it failed
 */
export function afterLook(pace: LookPace, head: number | null, blockTimeMs: number | null): LookPace {
  const { looks } = pace
  if (head === null || head === pace.head) return { ...pace, looks: looks + 1 }
  const grown = head - (pace.head ?? head)
  // A head that fell, or a lot of blocks at once, tells nothing of when one comes.
  if (blockTimeMs === null || grown < 1 || grown > 2) return { ...pace, head, looks: 0 }
  const isFirst = looks === 0 || grown > 1
  const steps = isFirst ? -(2 ** clamp(0, pace.firstFound - 1, MOST_DOUBLINGS)) : looks === 1 ? 0 : 1 / 2
  const next = firstMs(pace, blockTimeMs) + steps * stepMs(blockTimeMs)
  return { head, firstMs: next, looks: 0, firstFound: isFirst ? pace.firstFound + 1 : 0 }
}

/** How long to wait after a look; as long as allowed while there is plenty to catch up on anyway. */
export function untilNextLookMs(pace: LookPace, blockTimeMs: number | null, catchingUp: boolean): number {
  if (catchingUp) return POLL_MOST_MS
  if (blockTimeMs === null) return POLL_UNKNOWN_MS
  if (pace.looks === 0) return firstMs(pace, blockTimeMs)
  if (pace.looks < CLOSE_LOOKS) return stepMs(blockTimeMs)
  return clamp(POLL_LEAST_MS, blockTimeMs / 2, POLL_MOST_MS)
}

function firstMs(pace: LookPace, blockTimeMs: number): number {
  const usual = clamp(STEP_LEAST_MS, blockTimeMs, FIRST_MOST_MS)
  return clamp(STEP_LEAST_MS, pace.firstMs ?? Math.min(blockTimeMs / 2, POLL_MOST_MS), usual)
}

function stepMs(blockTimeMs: number): number {
  return clamp(STEP_LEAST_MS, blockTimeMs * STEP, STEP_MOST_MS)
}

function clamp(least: number, value: number, most: number): number {
  return Math.max(least, Math.min(value, most))
}
