import type { Tokenwire } from './tokenwire.ts'
import type { TokenwireError } from './tokenwireError.ts'
import type { WatchedToken, WatchOptions } from './watch.ts'

/**
 * A watch as an iterator that holds one state at most: the newest that was not taken yet. It begins with the first step, so that one nobody takes
 * holds nothing.
 *
 * @param closed - aborts when the client is closed
 */
export async function* iterate(
  watch: Tokenwire['watch'],
  closed: AbortSignal,
  address: string,
  options: Pick<WatchOptions, 'signal' | 'initial'> = {},
): AsyncGenerator<WatchedToken, undefined, undefined> {
  const over = new AbortController()
  const held: { newest: WatchedToken | null; error: TokenwireError | null } = { newest: null, error: null }
  let wake = () => {}
  const finish = () => {
    over.abort()
    wake()
  }
  const onUpdate = (state: WatchedToken) => {
    held.newest = state
    wake()
  }
  const onEnd = (error: TokenwireError) => {
    held.error = error
    finish()
  }
  const watched = watch(address, onUpdate, { ...options, onEnd })
  for (const signal of [options.signal, closed]) {
    signal?.addEventListener('abort', finish, { signal: over.signal })
    if (signal?.aborted) finish()
  }
  try {
    while (!over.signal.aborted) {
      const state = held.newest
      held.newest = null
      if (state !== null) yield state
      else
        await new Promise<void>(resolve => {
          wake = resolve
        })
    }
    if (held.error !== null) throw held.error
  } finally {
    finish()
    watched.close()
  }
  return undefined
}
