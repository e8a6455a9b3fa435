import type { Address } from '#domain/address.ts'

export interface WatchNoticesOptions {
  readonly send: (began: readonly Address[], ended: readonly Address[]) => void
  /** Calls back once, soon. Default `setImmediate`: changes of one turn of the event loop go into one notice. */
  readonly soon?: (callback: () => void) => void
}

export interface WatchNotices {
  began(token: Address): void
  ended(token: Address): void
  /** To be called when the other thread has acknowledged the last notice. */
  acknowledged(): void
}

/**
 * Reports to another thread which tokens have an actor. One notice is under way at a time, and the next one carries everything that changed
 * meanwhile, so what waits is bounded by the tokens that have or just had an actor.
 */
export function createWatchNotices({ send, soon = setImmediate }: WatchNoticesOptions): WatchNotices {
  /** What changed since the last notice, and whether the token is watched now. */
  const changed = new Map<Address, boolean>()
  let isUnderWay = false
  const flush = () => {
    isUnderWay = changed.size > 0
    if (!isUnderWay) return
    const tokens = [...changed]
    changed.clear()
    send(
      tokens.filter(([, isWatched]) => isWatched).map(([token]) => token),
      tokens.filter(([, isWatched]) => !isWatched).map(([token]) => token),
    )
  }
  const change = (token: Address, isWatched: boolean) => {
    changed.set(token, isWatched)
    if (isUnderWay) return
    isUnderWay = true
    soon(flush)
  }
  return { began: token => change(token, true), ended: token => change(token, false), acknowledged: flush }
}
