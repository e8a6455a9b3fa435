import type { Address } from '#domain/address.ts'
import { backoffMs } from './backoff.ts'
import type { ClientContext } from './context.ts'
import { openEventStream } from './eventStream.ts'
import { type FeedConnectionEvents, STABLE_MS } from './feedConnection.ts'
import { retryAfterMs } from './readResponse.ts'

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

/** Event streams for tokens whose WebSocket is blocked, as many as a browser allows. The other tokens are polled. */
export interface Fallback {
  /** Whether updates arrive over streams or polls; `null` while that is unknown. */
  isWorking(): boolean | null
  tokensWithoutStream(): readonly Address[]
  serve(tokens: ReadonlySet<Address>): void
  /** Tries every closed stream now, unless the server asked for a pause. */
  wake(): void
  polled(isSuccess: boolean): void
}

export function createFallback(
  context: ClientContext,
  { sequenceOf, onUpdate, onState }: Pick<FeedConnectionEvents, 'sequenceOf' | 'onUpdate' | 'onState'>,
): Fallback {
  const { base, timers, random, onError } = context
  let served: ReadonlySet<Address> = new Set()
  const streams = new Map<Address, Stream>()
  /** Not indexed, so the server has no stream for them. */
  const absent = new Set<Address>()
  /** Whether the newest poll succeeded; `null` before the first one. */
  let isPolled: boolean | null = null

  const isAnyOpening = (except?: Stream) => [...streams.values()].some(stream => stream !== except && !stream.isOpen)

  /** Opens the next stream unless one is still opening, so that a server that is down gets one request and not four. */
  function openNext(): void {
    if (streams.size >= context.maxEventStreams || isAnyOpening()) return
    const token = [...served].find(token => !streams.has(token) && !absent.has(token))
    if (token === undefined) return
    const stream: Stream = { isOpen: false, mayHurry: true, openedAt: 0, failures: 0, stop: () => {} }
    streams.set(token, stream)
    open(token, stream)
  }

  function open(token: Address, stream: Stream): void {
    const sequence = sequenceOf(token)
    const url = `${base}/api/tokens/${token}/stream${sequence === null ? '' : `?lastEventId=${sequence}`}`
    stream.stop = openEventStream(url, context, {
      onOpen: () => {
        stream.isOpen = true
        stream.openedAt = timers.now()
        onState()
        openNext()
      },
      onMessage: message => {
        if (message.type === 'token.update') onUpdate(message)
        else if (message.type === 'invalid') onError(message.error)
      },
      onEnd: refusal => ended(token, stream, refusal),
    })
  }

  function ended(token: Address, stream: Stream, refusal: Response | null): void {
    if (stream.isOpen && timers.now() - stream.openedAt >= STABLE_MS) stream.failures = 0
    stream.isOpen = false
    const isAbsent = refusal?.status === 404
    if (isAbsent) absent.add(token)
    if (isAbsent || isAnyOpening(stream)) {
      streams.delete(token)
      openNext()
    } else {
      const askedMs = refusal && retryAfterMs(refusal.headers)
      stream.mayHurry = askedMs === null
      const pauseMs = (askedMs ?? 0) + backoffMs(stream.failures, random, RETRY_BASE_MS)
      stream.failures++
      stream.stop = timers.after(pauseMs, () => open(token, stream))
    }
    onState()
  }

  return {
    isWorking() {
      if (served.size === 0) return false
      const all = [...streams.values()]
      if (isPolled === true || all.some(stream => stream.isOpen)) return true
      return isPolled === false || all.some(stream => stream.failures > 0) ? false : null
    },
    tokensWithoutStream: () => [...served].filter(token => streams.get(token)?.isOpen !== true),
    serve(tokens) {
      served = tokens
      for (const [token, stream] of streams) {
        if (tokens.has(token)) continue
        stream.stop()
        streams.delete(token)
      }
      if (tokens.size === 0) {
        absent.clear()
        isPolled = null
      }
      openNext()
    },
    wake() {
      for (const [token, stream] of streams) {
        if (stream.isOpen || !stream.mayHurry) continue
        stream.stop()
        open(token, stream)
      }
    },
    polled(isSuccess) {
      if (served.size === 0) return
      isPolled = isSuccess
      onState()
    },
  }
}
