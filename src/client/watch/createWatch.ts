import { ClientError } from '#client/clientError.ts'
import type { ClientContext } from '#client/context.ts'
import { Ending, onAbort } from '#client/ending.ts'
import type { Feed, Watcher } from '#client/feed/feed.ts'
import type { Tokenwire } from '#client/tokenwire.ts'
import type { Address } from '#domain/address.ts'
import { type KnownToken, merge, supersedes } from './knownToken.ts'

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
