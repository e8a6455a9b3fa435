import type { Clock } from '#clock'
import type { Random } from './traders/random.ts'
import type { Traders } from './traders.ts'

export interface LiveOptions {
  readonly traders: Traders
  readonly random: Random
  readonly clock: Clock
  readonly blockTimeMs: number
  /** The average. A block has between 50 % and 150 % of it. */
  readonly tradesPerBlock: number
  /** Ends the run after the block in progress. */
  readonly signal: AbortSignal
  /** Called when a block could not be mined. The next one follows at its time. */
  readonly onError: (error: unknown) => void
}

/**
 * Lets the traders mine one block per block time until the signal aborts. When the machine is too slow, blocks are late, and
 * missed ones are not made up for.
 */
export async function runLive({ traders, random, clock, blockTimeMs, tradesPerBlock, signal, onError }: LiveOptions): Promise<void> {
  let due = clock.nowMs() + blockTimeMs
  for (;;) {
    try {
      await clock.sleep(Math.max(0, due - clock.nowMs()), signal)
    } catch {
      return // the signal
    }
    if (signal.aborted) return
    due = Math.max(due, clock.nowMs()) + blockTimeMs
    try {
      await traders.block(random.integer(Math.floor(tradesPerBlock / 2), Math.ceil(tradesPerBlock * 1.5)))
    } catch (error) {
      if (!signal.aborted) onError(error)
    }
  }
}
