import type { Tokenwire } from './tokenwire.ts'
import type { TokenwireError } from './tokenwireError.ts'
import type { WatchedToken, WatchOptions } from './watch.ts'

/** A watch as an iterator that holds one state at most: the newest that was not taken yet. */
export function iterate(
  watch: Tokenwire['watch'],
  address: string,
  { signal, initial }: Pick<WatchOptions, 'signal' | 'initial'> = {},
): AsyncIterableIterator<WatchedToken, undefined> {
  let newest: WatchedToken | null = null
  let error: TokenwireError | null = null
  let isDone = signal?.aborted ?? false
  let wake = () => {}
  const finish = () => {
    isDone = true
    watched.close()
    signal?.removeEventListener('abort', finish)
    wake()
  }
  const watched = watch(
    address,
    state => {
      newest = state
      wake()
    },
    {
      ...(signal === undefined ? {} : { signal }),
      ...(initial === undefined ? {} : { initial }),
      onEnd: reason => {
        error = reason
        finish()
      },
    },
  )
  signal?.addEventListener('abort', finish)

  async function* states(): AsyncGenerator<WatchedToken, undefined> {
    try {
      while (!isDone) {
        const state = newest
        newest = null
        if (state !== null) yield state
        else
          await new Promise<void>(resolve => {
            wake = resolve
          })
      }
      if (error !== null) throw error
    } finally {
      finish()
    }
    return undefined
  }
  return states()
}
