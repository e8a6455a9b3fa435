import { ClientError } from './clientError.ts'
import type { ClientContext } from './context.ts'
import { type AbortSignalLike, Ending, onAbort } from './ending.ts'

export interface LiveQueryOptions {
  /** Ends the query. */
  readonly signal?: AbortSignalLike
}

export interface LiveListenerOptions {
  /** Called when nothing more will come: `rejected`, `too_many_watches`, or `dismissed` until `reconnect()` of the client. */
  readonly onEnd?: (error: ClientError) => void
  /** Called with the error of a request that will be sent again. Default: the client's. */
  readonly onError?: (error: unknown) => void
}

export interface LiveHandle {
  /** Ends the query: the listener is no longer called. */
  close(): void
}

/**
 * With a listener, calls it with all news. Without one, it is an async iterator: it begins with its first step, and throws the
 * `TokenwireError` after which nothing more will come. A slow reader of events misses none: the service keeps the events that it has not
 * read (with `repair: false` they are a `gap`). A slow reader of a state gets the newest one.
 *
 * @throws `TokenwireError` with code `closed` after the client's `close()`
 */
export interface LiveMethod<Query, News, Options extends LiveQueryOptions = LiveQueryOptions> {
  (query: Query, listener: (news: News) => void, options?: Options & LiveListenerOptions): LiveHandle
  (query: Query, options?: Options): AsyncGenerator<News, undefined, undefined>
}

/** The same for queries without required fields. */
export interface OpenLiveMethod<Query, News, Options extends LiveQueryOptions = LiveQueryOptions> extends LiveMethod<Query, News, Options> {
  (): AsyncGenerator<News, undefined, undefined>
}

/** Receives the news of a query. `next` is not called before the start of the query has returned. */
export interface LiveOutput<News> {
  next(news: News): void
  /** A request failed, which will be sent again. */
  failed(error: unknown): void
  /** `null`: the client was closed. */
  end(error: ClientError | null): void
}

/** A query that runs. */
export interface LiveRun {
  /** Enough events wait for the reader, the client was dismissed, or the query is over. Later events are delivered after `resume`. */
  pause(): void
  resume(): void
}

type Start<Query, News, Options> = (query: Query, options: Options, output: LiveOutput<News>) => LiveRun

/** @param isState - whether the newest replaces all before it, so that only that one waits for a slow reader */
export type Follow = <Query, News, Options extends LiveQueryOptions = LiveQueryOptions>(
  start: Start<Query, News, Options>,
  isState: boolean,
) => OpenLiveMethod<Query, News, Options>

/** At most this many events wait for a slow reader. The service keeps the events after them. */
const MAX_WAITING = 1_000

/** Makes a method of what starts a query. */
export function createFollow({ closed, dismissed, call, onError }: ClientContext): Follow {
  return <Query, News, Options extends LiveQueryOptions>(begin: Start<Query, News, Options>, isState: boolean) => {
    function start(query: Query, listener: (news: News) => void, options: Options & LiveListenerOptions): LiveHandle & LiveRun {
      if (closed.aborted) throw new ClientError('closed', 'the client is closed')
      const over = new Ending()
      let run: LiveRun | null = null
      let stopListening = () => {}
      const pause = () => run?.pause()
      const resume = () => {
        run?.resume()
        // A listener of the client's state may have closed this query meanwhile.
        if (over.aborted) pause()
      }
      const close = () => {
        if (over.aborted) return
        over.abort()
        stopListening()
        dismissed.delete(resume)
        pause()
      }
      run = begin(query, options, {
        next: news => over.aborted || call(listener, news),
        failed: error => over.aborted || call(options.onError ?? onError, error),
        end(error) {
          if (over.aborted) return
          if (error?.code === 'dismissed') {
            dismissed.add(resume)
            pause()
          } else close()
          if (error !== null) call(options.onEnd, error)
        },
      })
      // It may also have closed the client.
      if (over.aborted) pause()
      else stopListening = onAbort([options.signal], close)
      return { close, pause, resume }
    }

    async function* iterate(query: Query, options: Options): AsyncGenerator<News, undefined, undefined> {
      const over = new Ending()
      const waiting: News[] = []
      let isPaused = false
      let wake = () => {}
      const finish = (error: ClientError | null = null) => {
        over.abort(error)
        wake()
      }
      const take = (news: News) => {
        if (isState) waiting.length = 0
        waiting.push(news)
        isPaused ||= waiting.length >= MAX_WAITING
        if (isPaused) run.pause()
        wake()
      }
      if (options.signal?.aborted) return undefined
      const run = start(query, take, { ...options, onEnd: finish })
      const stopListening = onAbort([options.signal, closed], () => finish())
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
        stopListening()
        run.close()
      }
      return undefined
    }

    function method(query: Query = {} as Query, second?: ((news: News) => void) | Options, third = {} as Options) {
      if (typeof second !== 'function') return iterate(query, second ?? ({} as Options))
      return third.signal?.aborted ? { close() {} } : { close: start(query, second, third).close }
    }
    return method as OpenLiveMethod<Query, News, Options>
  }
}
