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
  const { signal } = options
  const held: { newest: WatchedToken | null; error: TokenwireError | null; isOver: boolean } = { newest: null, error: null, isOver: false }
  let wake = () => {}
  const finish = () => {
    held.isOver = true
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
  signal?.addEventListener('abort', finish)
  closed.addEventListener('abort', finish)
  if (signal?.aborted) finish()
  try {
    while (!held.isOver) {
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
    signal?.removeEventListener('abort', finish)
    closed.removeEventListener('abort', finish)
    watched.close()
  }
  return undefined
}
