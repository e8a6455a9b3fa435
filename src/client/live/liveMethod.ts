import type { ClientError } from '#client/clientError.ts'
import { Ending, onAbort } from '#client/ending.ts'
import type { ClientExtension } from '#client/tokenwire.ts'
import type { LiveHandle, LiveListenerOptions, LiveQueryOptions, OpenLiveMethod } from './liveTypes.ts'

/** Receives the news of a live query. */
export interface LiveOutput<News> {
  next(news: News): void
  /** A request failed, which will be sent again. */
  failed(error: unknown): void
  /** `null`: the client was closed. */
  end(error: ClientError | null): void
}

/** A live query that runs. */
export interface LiveRun {
  stop(): void
  /** Enough events wait for the reader, or the client was dismissed. Later events are delivered after `resume`, or reported as a `gap`. */
  pause(): void
  resume(): void
}

type Start<Query, News, Options> = (query: Query, options: Options, output: LiveOutput<News>) => LiveRun

/** At most this many events wait for a slow reader. The service keeps the events after them. */
const MAX_WAITING = 1_000

/** @param isState - whether the newest replaces all before it, so that only that one waits for a slow reader */
export function liveMethod<Query, News, Options extends LiveQueryOptions>(
  { closed, dismissed, call, onError }: ClientExtension,
  start: Start<Query, News, Options>,
  isState: boolean,
): OpenLiveMethod<Query, News, Options> {
  const none = {} as Options

  function listen(query: Query, listener: (news: News) => void, options: Options & LiveListenerOptions): LiveHandle {
    const over = new Ending()
    const { signal, onEnd } = options
    const resume = () => {
      run.resume()
      // A listener of the client's state may have closed this query meanwhile.
      if (over.aborted) run.stop()
    }
    const close = () => {
      if (over.aborted) return
      over.abort()
      stopListening()
      dismissed.delete(resume)
      run.stop()
    }
    const stopListening = onAbort([signal], close)
    const run = start(query, options, {
      next: news => over.aborted || call(listener, news),
      failed: error => over.aborted || call(options.onError ?? onError, error),
      end(error) {
        if (over.aborted) return
        if (error?.code === 'dismissed') {
          dismissed.add(resume)
          run.pause()
        } else close()
        if (error !== null && onEnd !== undefined) call(onEnd, error)
      },
    })
    if (signal?.aborted) close()
    return { close }
  }

  async function* iterate(query: Query, options: Options): AsyncGenerator<News, undefined, undefined> {
    const waiting: News[] = []
    let isPaused = false
    const over = new Ending()
    let wake = () => {}
    const finish = (error: ClientError | null = null) => {
      over.abort(error)
      wake()
    }
    const run = start(query, options, {
      next(news) {
        if (isState) waiting.length = 0
        waiting.push(news)
        if (waiting.length >= MAX_WAITING) {
          isPaused = true
          run.pause()
        }
        wake()
      },
      failed: onError,
      end: finish,
    })
    const stopListening = onAbort([options.signal, closed], () => finish())
    if (options.signal?.aborted || closed.aborted) finish()
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
      over.abort()
      stopListening()
      run.stop()
    }
    return undefined
  }

  function method(query: Query = {} as Query, second?: ((news: News) => void) | Options, third: Options = none) {
    return typeof second === 'function' ? listen(query, second, third) : iterate(query, second ?? none)
  }
  return method as OpenLiveMethod<Query, News, Options>
}
