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
  let newest = null as WatchedToken | null
  let ended = null as TokenwireError | null
  let wake = () => {}
  const finish = () => {
    over.abort()
    wake()
  }
  const onUpdate = (state: WatchedToken) => {
    newest = state
    wake()
  }
  const onEnd = (error: TokenwireError) => {
    ended = error
    finish()
  }
  const watched = watch(address, onUpdate, { ...options, onEnd })
  for (const signal of [options.signal, closed]) {
    signal?.addEventListener('abort', finish, { signal: over.signal })
    if (signal?.aborted) finish()
  }
  try {
    while (!over.signal.aborted) {
      const state = newest
      newest = null
      if (state === null) await new Promise<void>(resolve => (wake = resolve))
      else yield state
    }
    if (ended !== null) throw ended
  } finally {
    finish()
    watched.close()
  }
  return undefined
}
