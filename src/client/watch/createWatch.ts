import { ClientError } from '#client/clientError.ts'
import type { ClientContext } from '#client/context.ts'
import { Ending, onAbort } from '#client/ending.ts'
import type { Feed, Watcher } from '#client/feed/feed.ts'
import type { RestApi } from '#client/generated/restMethods.ts'
import type { Tokenwire } from '#client/tokenwire.ts'
import type { Address } from '#domain/address.ts'
import { type KnownToken, merge, supersedes } from './knownToken.ts'
import { TradeFeed } from './tradeFeed.ts'

export function createWatch(context: ClientContext, feed: Feed, api: Pick<RestApi, 'trades'>): Tokenwire['watch'] {
  const { call, closed, dismissed, timers } = context
  return (address, onUpdate, { signal, initial, holders = true, onTrades, tradesSince, onEnd } = {}) => {
    if (closed.aborted) throw new ClientError('closed', 'the client is closed')
    const token = address.toLowerCase() as Address
    if (!/^0x[0-9a-f]{40}$/.test(token)) throw new ClientError('rejected', `not an address: ${address}`)
    if (initial && initial.address !== token) throw new ClientError('rejected', 'initial is of another token')
    const over = new Ending()
    const tradeFeed =
      onTrades &&
      new TradeFeed(context, {
        address: token,
        api,
        signal: over,
        since: tradesSince,
        onTrades: news => over.aborted || call(onTrades, news),
      })
    let known: KnownToken | null = initial === undefined ? null : merge(null, { source: 'initial', token: initial })
    const close = () => {
      over.abort()
      stopListening()
      dismissed.delete(begin)
      feed.remove(token, watcher)
    }
    const watcher: Watcher = {
      wantsHolders: holders,
      wantsTrades: !!onTrades,
      deliver(next) {
        // A watch that began later, or with a state of its own, may know more than the feed.
        if (!over.aborted && supersedes(next, known)) {
          known = next
          call(onUpdate, next.state)
        }
        if (!over.aborted) tradeFeed?.receive(next.received)
      },
      end(error) {
        if (over.aborted) return
        if (error?.code === 'dismissed') dismissed.add(begin)
        else close()
        if (error !== null) call(onEnd, error)
      },
    }
    const begin = () => feed.add(token, watcher)
    const stopListening = onAbort([signal], close)
    if (signal?.aborted) close()
    else {
      begin()
      if (initial !== undefined) feed.receive({ source: 'initial', token: initial })
      const first = feed.known(token)
      // The listener must not be called before `watch` has returned.
      if (first !== null) timers.after(0, () => watcher.deliver(first))
    }
    return {
      address: token,
      get current() {
        return known?.state ?? null
      },
      close,
    }
  }
}
