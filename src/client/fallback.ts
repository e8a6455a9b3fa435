import type { Address } from '#domain/address.ts'
import type { TokenUpdate } from '#protocol/tokenUpdate.ts'
import { backoffMs } from './backoff.ts'
import type { Timers } from './clock.ts'
import { type EventStreamEnd, openEventStream } from './eventStream.ts'
import type { EventSourceLike } from './options.ts'

/** What the server asks event streams to wait before they come back. */
const RETRY_BASE_MS = 2_000

export interface FallbackOptions {
  /** Of the service, without a slash at the end. */
  readonly base: string
  /** What is held of a token in full; `null`: nothing. */
  readonly held: (token: Address) => number | null
  readonly fetch: typeof globalThis.fetch
  readonly EventSource: (new (url: string) => EventSourceLike) | undefined
  readonly timers: Timers
  readonly random: () => number
  readonly maxEventStreams: number
  readonly onUpdate: (update: TokenUpdate) => void
  readonly onState: () => void
  readonly onError: (error: unknown) => void
}

/** A stream that lived so long was no accident: the next failure begins with short pauses again. */
const STABLE_MS = 10_000

interface Stream {
  isOpen: boolean
  /** Whether the pause before its next try is the client's own, and not one that the server asked for. */
  mayHurry: boolean
  openedAt: number
  failures: number
  /** Closes it, or ends the pause before its next try. */
  stop: () => void
}

/** Event streams for the tokens whose WebSocket is away: as many as a browser allows. The others are polled. */
export class Fallback {
  readonly #options: FallbackOptions
  #tokens: ReadonlySet<Address> = new Set()
  readonly #streams = new Map<Address, Stream>()
  /** The server has no stream for these, which are not indexed yet. */
  readonly #absent = new Set<Address>()
  #polled: boolean | null = null

  constructor(options: FallbackOptions) {
    this.#options = options
  }

  /** Whether anything comes this way; `null`: not known yet. */
  get isWorking(): boolean | null {
    if (this.#tokens.size === 0) return false
    const streams = [...this.#streams.values()]
    if (this.#polled === true || streams.some(stream => stream.isOpen)) return true
    return this.#polled === false || streams.some(stream => stream.failures > 0) ? false : null
  }

  /** The tokens of `serve` that no open stream brings. */
  unserved(): readonly Address[] {
    return [...this.#tokens].filter(token => this.#streams.get(token)?.isOpen !== true)
  }

  /** What is to be brought from now on; none: everything is closed. */
  serve(tokens: ReadonlySet<Address>): void {
    this.#tokens = tokens
    for (const [token, stream] of this.#streams) {
      if (tokens.has(token)) continue
      stream.stop()
      this.#streams.delete(token)
    }
    if (tokens.size === 0) {
      this.#absent.clear()
      this.#polled = null
    }
    this.#fill()
  }

  /** Tries now what is not open, unless the server asked to wait. */
  wake(): void {
    for (const [token, stream] of this.#streams) {
      if (stream.isOpen || !stream.mayHurry) continue
      stream.stop()
      this.#open(token, stream)
    }
  }

  /** How the last poll of what is unserved went. */
  polled(ok: boolean): void {
    if (this.#tokens.size === 0) return
    this.#polled = ok
    this.#options.onState()
  }

  /** Opens one more, unless one is being opened: a server that is down is asked for one stream, not for all. */
  #fill(): void {
    const { size } = this.#streams
    if (size >= this.#options.maxEventStreams || [...this.#streams.values()].some(stream => !stream.isOpen)) return
    const token = [...this.#tokens].find(token => !this.#streams.has(token) && !this.#absent.has(token))
    if (token === undefined) return
    const stream: Stream = { isOpen: false, mayHurry: true, openedAt: 0, failures: 0, stop: () => {} }
    this.#streams.set(token, stream)
    this.#open(token, stream)
  }

  #open(token: Address, stream: Stream): void {
    const { base, timers, onUpdate, onState, onError } = this.#options
    const held = this.#options.held(token)
    stream.stop = openEventStream({
      ...this.#options,
      url: `${base}/api/tokens/${token}/stream${held === null ? '' : `?lastEventId=${held}`}`,
      onOpen: () => {
        stream.isOpen = true
        stream.openedAt = timers.now()
        onState()
        this.#fill()
      },
      onMessage: message => {
        if (message.type === 'token.update') onUpdate(message)
        else if (message.type === 'invalid') onError(message.error)
      },
      onEnd: end => this.#ended(token, stream, end),
    })
  }

  #ended(token: Address, stream: Stream, end: EventStreamEnd): void {
    const { timers, random, onState } = this.#options
    if (stream.isOpen && timers.now() - stream.openedAt >= STABLE_MS) stream.failures = 0
    stream.isOpen = false
    if (end.status === 404) this.#absent.add(token)
    if (end.status === 404 || [...this.#streams.values()].some(other => other !== stream && !other.isOpen)) {
      this.#streams.delete(token)
      this.#fill()
    } else {
      stream.mayHurry = end.retryAfterMs === null
      const pauseMs = (end.retryAfterMs ?? 0) + backoffMs(stream.failures, random, RETRY_BASE_MS)
      stream.failures++
      stream.stop = timers.after(pauseMs, () => this.#open(token, stream))
    }
    onState()
  }
}
