import type { Address } from '#domain/address.ts'

export interface WatchNoticesOptions {
  readonly send: (began: readonly Address[], ended: readonly Address[]) => void
  /** Calls back once, soon. Default `setImmediate`: at the end of the turn, however many begin in it. */
  readonly soon?: (callback: () => void) => void
}

/** Tells another thread which tokens have an actor. */
export interface WatchNotices {
  began(token: Address): void
  ended(token: Address): void
  /** To be called when the last notice has arrived. */
  noted(): void
}

/**
 * One notice is under way at a time, with everything that has changed since the one before: what waits is bounded by the tokens that have,
 * or had a moment ago, an actor.
 */
export function createWatchNotices({ send, soon = setImmediate }: WatchNoticesOptions): WatchNotices {
  /** What was told last and is no longer so, and whether the token is watched now. */
  const changed = new Map<Address, boolean>()
  let isUnderWay = false
  const flush = () => {
    if (changed.size === 0) {
      isUnderWay = false
      return
    }
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
  return { began: token => change(token, true), ended: token => change(token, false), noted: flush }
}
