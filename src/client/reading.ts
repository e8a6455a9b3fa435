import { isHidden } from './browserPage.ts'
import type { ClientError } from './clientError.ts'
import type { ClientContext } from './context.ts'
import { type AbortSignalLike, Ending } from './ending.ts'
import { pollMs } from './timers.ts'

/** How long a connection may take to bring the data before REST is asked. */
export const PATIENCE_MS = 2_000

/** How often REST is asked while no connection brings the data. */
const POLL_MS = 10_000

/** Pause after a failed request. It grows. */
const RETRY_MS = 5_000

/** Shortest pause before a read that the caller requests. */
const MIN_PAUSE_MS = 1_000

export interface ReadingOptions {
  /** Rejects when the data has to be read again. */
  readonly read: (signal: AbortSignalLike) => Promise<void>
  /** Whether a connection brings the changes, so that REST need not be asked. */
  readonly isFollowed: () => boolean
  readonly failed: (error: unknown) => void
  /** The service refuses the request however often it is sent. Absent: this is a failure as any other. */
  readonly end?: (error: ClientError) => void
  /** The pause after a read, unless the next one is requested. */
  readonly periodMs?: () => number
  /** The pause before the first read. */
  readonly patienceMs?: number
}

export interface Reading {
  /** Reads soon, after at least `ms`, also on a hidden page. */
  read(ms?: number): void
  stop(): void
}

/**
 * Reads something over REST, one read at a time: on request, again after a failure, and periodically while no connection brings it. A
 * hidden page reads when it is visible again.
 *
 * @param polled - reports each read, `null` when there are none: the state of a client without connections follows from these reports
 */
export function startReading(
  { timers, random, closed, pauses }: Pick<ClientContext, 'timers' | 'random' | 'closed' | 'pauses'>,
  polled: (isSuccess: boolean | null, poller: object) => void,
  { read, isFollowed, failed, end, periodMs = () => POLL_MS, patienceMs = PATIENCE_MS }: ReadingOptions,
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
      if (end !== undefined && isRefusal(error)) return end(error)
      failures++
      failed(error)
    }
    if (signal.aborted) return
    polled(failures === 0, signal)
    isReading = false
    readAtMs = timers.now()
    const pauseMs = failures > 0 ? pollMs(RETRY_MS, random, failures - 1) : pollMs(periodMs(), random)
    readAfter(isRequested ? MIN_PAUSE_MS : pauseMs)
  }

  function readAfter(ms: number): void {
    cancel()
    if (signal.aborted) return
    cancel = timers.after(ms, () => {
      if (isCurrent()) polled(null, signal)
      if (!isRequested && (isCurrent() || isHidden())) readAfter(pollMs(periodMs(), random))
      else void run()
    })
  }

  const isCurrent = () => failures === 0 && isFollowed()
  const readNow = () => isReading || isCurrent() || void run()
  pauses.add(readNow)
  readAfter(patienceMs)
  return {
    read(ms = 0) {
      isRequested = true
      if (isReading || signal.aborted) return
      const pauseMs = Math.max(ms, readAtMs + MIN_PAUSE_MS - timers.now())
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
