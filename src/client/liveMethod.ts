import type { ClientError } from './clientError.ts'
import type { LiveHandle, LiveQueryOptions, OpenLiveMethod } from './liveTypes.ts'
import type { ClientExtension } from './tokenwire.ts'

/** Where a live query puts what comes. */
export interface LiveOutput<News> {
  next(news: News): void
  /** `null`: the client was closed. */
  end(error: ClientError | null): void
}

/** A live query that runs. */
export interface LiveRun {
  stop(): void
  /** The reader has taken enough. What comes from now on must be delivered after `resume`, or replaced by something newer. */
  pause(): void
  resume(): void
}

type Start<Query, News, Options> = (query: Query, options: Options, output: LiveOutput<News>) => LiveRun

/** Most events that wait for a slow reader, before the service keeps what follows. */
const MOST_WAITING = 1_000

/** @param mostWaiting - 1: only the newest counts */
export function liveMethod<Query, News, Options extends LiveQueryOptions>(
  { closed, call }: ClientExtension,
  start: Start<Query, News, Options>,
  isState: boolean,
): OpenLiveMethod<Query, News, Options> {
  const none = {} as Options

  function listen(
    query: Query,
    listener: (news: News) => void,
    options: Options & { readonly onEnd?: (error: ClientError) => void },
  ): LiveHandle {
    const ending = new AbortController()
    const over = ending.signal
    const { signal, onEnd } = options
    const close = () => {
      if (over.aborted) return
      ending.abort()
      run.stop()
    }
    const run = start(query, options, {
      next: news => over.aborted || call(listener, news),
      end(error) {
        if (over.aborted) return
        close()
        if (error !== null && onEnd !== undefined) call(onEnd, error)
      },
    })
    signal?.addEventListener('abort', close, { signal: over })
    if (signal?.aborted) close()
    return { close }
  }

  async function* iterate(query: Query, options: Options): AsyncGenerator<News, undefined, undefined> {
    const waiting: News[] = []
    let isPaused = false
    const ending = new AbortController()
    const over = ending.signal
    let wake = () => {}
    const finish = (error: ClientError | null = null) => {
      ending.abort(error)
      wake()
    }
    const run = start(query, options, {
      next(news) {
        if (isState) waiting.length = 0
        waiting.push(news)
        if (waiting.length >= MOST_WAITING) {
          isPaused = true
          run.pause()
        }
        wake()
      },
      end: finish,
    })
    for (const signal of [options.signal, closed]) {
      signal?.addEventListener('abort', () => finish(), { signal: over })
      if (signal?.aborted) finish()
    }
    try {
      while (!over.aborted) {
        const [news] = waiting
        if (news !== undefined) {
          waiting.shift()
          yield news
        } else if (isPaused) {
          isPaused = false
          run.resume()
        } else await new Promise<void>(resolve => (wake = resolve))
      }
      if (over.reason !== null) throw over.reason as ClientError
    } finally {
      ending.abort(null)
      run.stop()
    }
    return undefined
  }

  function method(query: Query = {} as Query, second?: ((news: News) => void) | Options, third: Options = none) {
    return typeof second === 'function' ? listen(query, second, third) : iterate(query, second ?? none)
  }
  return method as OpenLiveMethod<Query, News, Options>
}
