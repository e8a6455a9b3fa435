import { retryAfterMs } from './answer.ts'
import type { Timers } from './clock.ts'
import { createEventReader } from './eventText.ts'
import { type ReadMessage, readMessage } from './messages.ts'
import type { EventSourceLike } from './options.ts'

/** The server writes something every 15 s. */
const SILENCE_MS = 40_000

export interface EventStreamEnd {
  /** Of an answer that was no stream; `null`: none came, or the stream broke. */
  readonly status: number | null
  readonly retryAfterMs: number | null
}

/** None came, or it ended. */
const BROKEN: EventStreamEnd = { status: null, retryAfterMs: null }

export interface EventStreamOptions {
  readonly url: string
  readonly fetch: typeof globalThis.fetch
  readonly EventSource: (new (url: string) => EventSourceLike) | undefined
  readonly timers: Timers
  readonly onOpen: () => void
  readonly onMessage: (message: ReadMessage) => void
  /** Called once; not after the stream was closed from here. */
  readonly onEnd: (end: EventStreamEnd) => void
}

/** Opens one event stream, once. Returns how to close it. */
export function openEventStream(options: EventStreamOptions): () => void {
  return options.EventSource === undefined ? byFetch(options) : byEventSource(options, options.EventSource)
}

/** With `fetch` rather than `EventSource`, which hides the status, the headers and the comments that tell a quiet stream from a dead one. */
function byFetch({ url, fetch, timers, onOpen, onMessage, onEnd }: EventStreamOptions): () => void {
  const aborter = new AbortController()
  let isOver = false
  let cancelSilence = () => {}
  const close = () => {
    isOver = true
    cancelSilence()
    aborter.abort()
  }
  const end = (end: EventStreamEnd) => {
    if (isOver) return
    close()
    onEnd(end)
  }
  const broken = () => end(BROKEN)
  const heard = () => {
    cancelSilence()
    cancelSilence = timers.after(SILENCE_MS, broken)
  }

  async function read(): Promise<void> {
    heard()
    const response = await fetch(url, { headers: { accept: 'text/event-stream' }, signal: aborter.signal })
    const { status, headers, body } = response
    if (status !== 200) end({ status, retryAfterMs: retryAfterMs(headers) })
    // A network that wants its visitors to log in answers everything with a page.
    else if (body === null || !headers.get('content-type')?.startsWith('text/event-stream')) broken()
    if (isOver || body === null) return
    onOpen()
    const reader = body.getReader()
    const decoder = new TextDecoder()
    const eventsOf = createEventReader()
    for (;;) {
      const { done, value } = await reader.read()
      if (done || isOver) break
      heard()
      const events = eventsOf(decoder.decode(value, { stream: true }))
      if (events === null) break
      for (const { type, data } of events) if (!isOver && type === 'token.update') onMessage(readMessage(data))
    }
    broken()
  }

  read().catch(broken)
  return close
}

/** For platforms whose `fetch` can't stream. Its own reconnecting is not used, since it never gives up and asks for what is held no more. */
function byEventSource(
  { url, timers, onOpen, onMessage, onEnd }: EventStreamOptions,
  EventSource: new (url: string) => EventSourceLike,
): () => void {
  const source = new EventSource(url)
  let cancelOpening = () => {}
  const close = () => {
    cancelOpening()
    source.onopen = source.onerror = null
    source.close()
  }
  const broken = () => {
    close()
    onEnd(BROKEN)
  }
  cancelOpening = timers.after(SILENCE_MS, broken)
  source.onopen = () => {
    cancelOpening()
    onOpen()
  }
  source.onerror = broken
  source.addEventListener('token.update', (event: { readonly data: unknown }) => {
    if (source.onerror !== null) onMessage(readMessage(event.data))
  })
  return close
}
