import { backoffMs } from '#client/backoff.ts'
import { ClientError } from '#client/clientError.ts'
import type { ClientContext } from '#client/context.ts'
import { retryAfterMs } from '#client/rest/readResponse.ts'
import type { Address } from '#domain/address.ts'
import { type Carried, tokensOf } from './carried.ts'
import { openEventStream } from './eventStream.ts'
import { STABLE_MS } from './feedConnection.ts'

/** The pause that the server asks of event streams (`retry: 2000`). */
const RETRY_BASE_MS = 2_000

interface Stream {
  isOpen: boolean
  /** False after the server asked for a pause. */
  mayHurry: boolean
  openedAt: number
  failures: number
  stop: () => void
}

/**
 * Event streams for what a blocked WebSocket would carry, as many as a browser allows: for channels, then for tokens. The other tokens are
 * polled; the other channels wait, and later continue from their position.
 */
export interface Fallback {
  /** Whether updates arrive over streams or polls; `null` while that is unknown. */
  isWorking(): boolean | null
  /** Whether an open stream carries it. */
  isOpen(carried: Carried): boolean
  tokensWithoutStream(): readonly Address[]
  serve(carried: ReadonlySet<Carried>): void
  /** Opens every stream anew, since nothing tells whether an open one is alive, unless the server asked for a pause. */
  wake(): void
  /**
   * Reports a poll. The state follows from the newest one.
   *
   * @param isSuccess - `null`: the poller has stopped
   * @param poller - absent: the poller of the tokens without a stream
   */
  polled(isSuccess: boolean | null, poller?: object): void
}

interface FallbackEvents {
  readonly onState: () => void
  /** The server refused the filters of a channel. */
  readonly onRefused: (carried: Carried, error: ClientError) => void
}

export function createFallback(context: ClientContext, { onState, onRefused }: FallbackEvents): Fallback {
  const { base, timers, random, onError, maxEventStreams } = context
  let served: ReadonlySet<Carried> = new Set()
  const streams = new Map<Carried, Stream>()
  /** Tokens that are not indexed, so the server has no stream for them. */
  const absent = new Set<Carried>()
  /** Whether the newest poll of each poller succeeded. The newest of all comes last. */
  const polls = new Map<object | undefined, boolean>()

  const isAnyOpening = (except?: Stream) => [...streams.values()].some(stream => stream !== except && !stream.isOpen)
  const isOpen = (carried: Carried) => !!streams.get(carried)?.isOpen
  const hasNone = (carried: Carried) => !streams.has(carried) && !absent.has(carried)
  const tokensWithoutStream = () => tokensOf([...served].filter(carried => !isOpen(carried)))

  /** Opens the next stream unless one is still opening, so that a server that is down gets one request and not four. */
  function openNext(): void {
    if (isAnyOpening()) return
    const isFull = streams.size >= maxEventStreams
    const next = [...served].find(carried => carried.isChannel && hasNone(carried)) ?? (isFull ? undefined : [...served].find(hasNone))
    if (next === undefined) return
    if (isFull) {
      const replaced = [...streams.keys()].find(carried => !carried.isChannel)
      if (replaced === undefined) return
      close(replaced)
    }
    const stream: Stream = { isOpen: false, mayHurry: true, openedAt: 0, failures: 0, stop: () => {} }
    streams.set(next, stream)
    open(next, stream)
  }

  function open(carried: Carried, stream: Stream): void {
    stream.stop = openEventStream(base + carried.streamPath(), context, {
      onOpen: () => {
        stream.isOpen = true
        stream.openedAt = timers.now()
        onState()
        openNext()
      },
      onMessage: message => {
        if (message.type === 'token.update' || message.type === 'channel') carried.receive(message, 'eventStream')
        else if (message.type === 'invalid') onError(message.error)
      },
      onEnd: refusal => ended(carried, stream, refusal),
    })
  }

  function ended(carried: Carried, stream: Stream, refusal: Response | null): void {
    if (stream.isOpen && timers.now() - stream.openedAt >= STABLE_MS) stream.failures = 0
    stream.isOpen = false
    const status = refusal?.status
    if (status === 404) absent.add(carried)
    if (status === 404 || status === 400 || isAnyOpening(stream)) {
      streams.delete(carried)
      if (status === 400) onRefused(carried, new ClientError('rejected', 'filters refused', { status }))
      openNext()
    } else {
      const askedMs = refusal && retryAfterMs(refusal.headers)
      stream.mayHurry = askedMs === null
      const pauseMs = (askedMs ?? 0) + backoffMs(stream.failures++, random, RETRY_BASE_MS)
      stream.stop = timers.after(pauseMs, () => open(carried, stream))
    }
    onState()
  }

  function close(carried: Carried): void {
    streams.get(carried)?.stop()
    streams.delete(carried)
  }

  return {
    isWorking() {
      if (served.size === 0) return false
      const isPolled = [...polls.values()].at(-1)
      if (isPolled || [...streams.keys()].some(isOpen)) return true
      return isPolled === false || [...streams.values()].some(({ failures }) => failures > 0) ? false : null
    },
    isOpen,
    tokensWithoutStream,
    serve(carried) {
      served = carried
      for (const one of streams.keys()) if (!carried.has(one)) close(one)
      if (carried.size === 0) {
        absent.clear()
        polls.clear()
      }
      if (!tokensWithoutStream().length) polls.delete(undefined)
      openNext()
    },
    wake() {
      for (const [carried, stream] of streams) {
        if (!stream.mayHurry) continue
        stream.stop()
        open(carried, stream)
      }
    },
    polled(isSuccess, poller) {
      if (served.size === 0) return
      polls.delete(poller)
      if (isSuccess !== null) polls.set(poller, isSuccess)
      onState()
    },
  }
}
