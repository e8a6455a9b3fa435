import { ClientError } from '#client/clientError.ts'
import type { ClientContext } from '#client/context.ts'
import { type AbortSignalLike, Ending, onAbort } from '#client/ending.ts'
import { type Feed, type KnownToken, merge, supersedes, type Watcher } from '#client/feed/feed.ts'
import type { Tokenwire } from '#client/tokenwire.ts'
import type { Address } from '#domain/address.ts'
import type { WatchedToken } from './watch.ts'

export function createWatch({ call, closed, dismissed, timers }: ClientContext, feed: Feed): Tokenwire['watch'] {
  return (address, onUpdate, { signal, initial, holders = true, onEnd } = {}) => {
    if (closed.aborted) throw new ClientError('closed', 'the client is closed')
    const token = address.toLowerCase() as Address
    if (!/^0x[0-9a-f]{40}$/.test(token)) throw new ClientError('rejected', `not an address: ${address}`)
    if (initial && initial.address !== token) throw new ClientError('rejected', 'initial is of another token')
    const over = new Ending()
    let known: KnownToken | null = initial === undefined ? null : merge(null, { source: 'initial', token: initial })
    const close = () => {
      over.abort()
      stopListening()
      dismissed.delete(begin)
      feed.remove(token, watcher)
    }
    const watcher: Watcher = {
      wantsHolders: holders,
      deliver(next) {
        // A watch that began later, or with a state of its own, may know more than the feed.
        if (over.aborted || !supersedes(next, known)) return
        known = next
        call(onUpdate, next.state)
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

/**
 * `updates` of a client: a watch as an async iterator that keeps at most one state, the newest. The watch begins with the first step, so an
 * iterator that is never read holds nothing.
 */
export function createUpdates(watch: Tokenwire['watch'], closed: AbortSignalLike): Tokenwire['updates'] {
  return async function* updates(address, options = {}) {
    const ending = new Ending()
    let newest = null as WatchedToken | null
    let wake = () => {}
    const onUpdate = (state: WatchedToken) => {
      newest = state
      wake()
    }
    const watched = watch(address, onUpdate, { ...options, onEnd: error => ending.abort(error) })
    ending.addEventListener('abort', () => wake())
    const stopListening = onAbort([options.signal, closed], () => ending.abort())
    if (options.signal?.aborted || closed.aborted) ending.abort()
    try {
      while (!ending.aborted) {
        const state = newest
        newest = null
        if (state === null) await new Promise<void>(resolve => (wake = resolve))
        else yield state
      }
      if (ending.reason instanceof ClientError) throw ending.reason
    } finally {
      ending.abort()
      stopListening()
      watched.close()
    }
    return undefined
  }
}
