import type { Clock } from '#clock'

/**
 * Asks a second source beside the first, to compare them, as long as that costs little time. It may take `START_MS` longer than the first
 * source, and from then on as much longer as the first source takes itself: a second provider that is slow, or silent, at most doubles the
 * time of a long backfill.
 */
export interface SecondAnswers {
  /**
   * @param second gives `null` when it fails, and should end early when it is over
   * @returns the second answer, `null` also when it was not asked for or did not come in time
   * @throws what `first` throws
   */
  both<T>(first: () => Promise<T>, second: (isOver: () => boolean) => Promise<T | null>): Promise<readonly [T, T | null]>
}

const START_MS = 10_000
/** The longest wait for one answer. */
const MAX_WAIT_MS = 3_000

export function createSecondAnswers(clock: Pick<Clock, 'nowMs' | 'sleep'>): SecondAnswers {
  let leftMs = START_MS

  const timed = async <T>(question: () => Promise<T>): Promise<T> => {
    const sinceMs = clock.nowMs()
    try {
      return await question()
    } finally {
      leftMs = Math.min(START_MS, leftMs + clock.nowMs() - sinceMs)
    }
  }

  const wait = async (until: Promise<unknown>): Promise<void> => {
    const sinceMs = clock.nowMs()
    const waiting = new AbortController()
    const waited = clock.sleep(Math.min(MAX_WAIT_MS, leftMs), waiting.signal).catch(() => undefined)
    await Promise.race([until, waited])
    waiting.abort()
    leftMs -= clock.nowMs() - sinceMs
  }

  return {
    both: async <T>(first: () => Promise<T>, second: (isOver: () => boolean) => Promise<T | null>) => {
      if (leftMs <= 0) return [await timed(first), null] as const
      let isOver = false
      let compared: T | null = null
      let isAnswered = false
      const other = second(() => isOver).then(answer => {
        compared = answer
        isAnswered = true
      })
      // Its failure matters only when the first one is there.
      other.catch(() => undefined)
      try {
        const answer = await timed(first)
        if (!isAnswered) await wait(other)
        return [answer, compared] as const
      } finally {
        isOver = true
      }
    },
  }
}
