import { isHidden } from '#client/browserPage.ts'
import type { ClientError } from '#client/clientError.ts'
import { type AbortSignalLike, Ending } from '#client/ending.ts'
import { pollMs } from '#client/timers.ts'
import type { ClientExtension } from '#client/tokenwire.ts'
import type { LiveOutput } from './liveMethod.ts'

/** How long a connection may take to bring the data before REST is asked. */
const PATIENCE_MS = 2_000

/** How often REST is asked while no connection brings the data. */
const POLL_MS = 10_000

/** Pause after a failed request. It grows. */
const RETRY_MS = 5_000

/** Shortest pause before a read that the caller requests. */
const MIN_PAUSE_MS = 1_000

export interface ReadingOptions {
  readonly output: Pick<LiveOutput<never>, 'failed' | 'end'>
  /** Whether a connection brings the changes, so that REST need not be asked. */
  readonly isFollowed: () => boolean
  /** Rejects when the data has to be read again. */
  readonly read: (signal: AbortSignalLike) => Promise<void>
  readonly periodMs?: number
}

export interface Reading {
  read(): void
  stop(): void
}

/**
 * Reads something over REST, one read at a time: on request, again after a failure, and periodically while no connection brings it. A
 * hidden page reads when it is visible again. A refused request ends the query.
 */
export function startReading(
  { timers, random, closed, pauses, polled }: ClientExtension,
  { output, isFollowed, read, periodMs = POLL_MS }: ReadingOptions,
): Reading {
  const signal = new Ending()
  let cancel = () => {}
  let isReading = false
  let isRequested = false
  let failures = 0
  let readAtMs = Number.NEGATIVE_INFINITY

  async function run(): Promise<void> {
    cancel()
    isReading = true
    isRequested = false
    try {
      await read(signal)
      failures = 0
    } catch (error) {
      if (signal.aborted || closed.aborted) return
      if (isRefusal(error)) return output.end(error)
      failures++
      output.failed(error)
    }
    if (signal.aborted) return
    polled(failures === 0, signal)
    isReading = false
    readAtMs = timers.now()
    const pauseMs = failures > 0 ? pollMs(RETRY_MS, random, failures - 1) : pollMs(periodMs, random)
    readAfter(isRequested ? MIN_PAUSE_MS : pauseMs)
  }

  function readAfter(ms: number): void {
    cancel()
    if (signal.aborted) return
    cancel = timers.after(ms, () => {
      if (isCurrent()) polled(null, signal)
      if (!isRequested && (isCurrent() || isHidden())) readAfter(pollMs(periodMs, random))
      else void run()
    })
  }

  const isCurrent = () => failures === 0 && isFollowed()
  const readNow = () => isReading || isCurrent() || void run()
  pauses.add(readNow)
  readAfter(PATIENCE_MS)
  return {
    read() {
      isRequested = true
      if (isReading || signal.aborted) return
      const pauseMs = readAtMs + MIN_PAUSE_MS - timers.now()
      if (pauseMs > 0) readAfter(pauseMs)
      else void run()
    },
    stop() {
      signal.abort()
      pauses.delete(readNow)
      cancel()
      polled(null, signal)
    },
  }
}

/** Whether the service refuses the request however often it is sent. A 403, for example, may come from a proxy. */
export function isRefusal(error: unknown): error is ClientError {
  return (error as ClientError).problem?.code === 'invalid_parameter'
}
