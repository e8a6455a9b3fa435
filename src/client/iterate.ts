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
  let newest: WatchedToken | null = null
  let error: TokenwireError | null = null
  let wake = () => {}
  const { signal } = options
  const over = new AbortController()
  const finish = () => {
    over.abort()
    wake()
  }
  const onUpdate = (state: WatchedToken) => {
    newest = state
    wake()
  }
  const onEnd = (reason: TokenwireError) => {
    error = reason
    finish()
  }
  const watched = watch(address, onUpdate, { ...options, onEnd })
  signal?.addEventListener('abort', finish)
  closed.addEventListener('abort', finish)
  try {
    while (!over.signal.aborted && !signal?.aborted) {
      const state: WatchedToken | null = newest
      newest = null
      if (state !== null) yield state
      else
        await new Promise<void>(resolve => {
          wake = resolve
        })
    }
    if (error !== null) throw error
  } finally {
    signal?.removeEventListener('abort', finish)
    closed.removeEventListener('abort', finish)
    watched.close()
  }
  return undefined
}
