import type { Address } from '#domain/address.ts'
import type { Calls } from './calls.ts'
import type { Timers } from './clock.ts'
import type { Feed } from './feed.ts'
import { accept, type Held, isNews } from './held.ts'
import { addressSchema } from './resources.ts'
import { mismatch } from './schema.ts'
import { Tape } from './tape.ts'
import type { Watch, WatchedToken, WatchOptions } from './watch.ts'
import type { Watcher } from './watcher.ts'

export interface WatchingDeps {
  readonly feed: Feed
  readonly calls: Pick<Calls, 'trades'>
  readonly timers: Timers
  readonly random: () => number
  readonly onError: (error: unknown) => void
  /** Calls a listener; what it throws is reported. */
  readonly call: <T>(listener: ((value: T) => void) | undefined, value: T) => void
}

/** One call of `watch`. */
export function startWatching(
  address: string,
  onUpdate: (state: WatchedToken) => void,
  { signal, initial, onTrades, tradesSince, onEnd }: WatchOptions,
  { feed, call, timers, ...deps }: WatchingDeps,
): Watch {
  const token = address.toLowerCase() as Address
  if (mismatch(addressSchema, token) !== null || (initial && initial.address !== token))
    throw new TypeError('no address, or not that of initial')
  const over = new AbortController()
  const tape =
    onTrades === undefined
      ? null
      : new Tape({
          ...deps,
          timers,
          signal: over.signal,
          since: tradesSince,
          onTrades: news => over.signal.aborted || call(onTrades, news),
        })
  let held: Held | null = initial === undefined ? null : accept(null, { source: 'initial', token: initial })
  const finish = () => {
    if (over.signal.aborted) return
    over.abort()
    tape?.stop()
    feed.remove(token, watcher)
  }
  const watcher: Watcher = {
    deliver(news) {
      // A watch that began later, or with a state of its own, has other news than the feed.
      if (over.signal.aborted || !isNews(news, held)) return
      held = news
      call(onUpdate, news.state)
      if (!over.signal.aborted) tape?.saw(news.state)
    },
    end(error) {
      if (over.signal.aborted) return
      finish()
      if (error !== null) call(onEnd, error)
    },
  }
  if (signal?.aborted) over.abort()
  else {
    signal?.addEventListener('abort', finish, { signal: over.signal })
    feed.add(token, watcher)
    if (initial !== undefined) feed.take(token, { source: 'initial', token: initial })
    const known = feed.held(token)
    // When the caller has what this returns.
    if (known !== null) timers.after(0, () => watcher.deliver(known))
  }
  return {
    address: token,
    get current() {
      return held?.state ?? null
    },
    close: finish,
  }
}
