import type { ClientContext } from '#client/context.ts'
import { Timer } from '#client/timers.ts'
import { createMessageReader, type ReadMessage } from './messages.ts'

/** The server sends a comment every 15 s, so a longer silence means a dead connection. */
const SILENCE_MS = 40_000

export interface EventStreamEvents {
  readonly onOpen: () => void
  readonly onMessage: (message: ReadMessage) => void
  /** The last event, once; not after the client closed the stream. `refusal`: a response with another status than 200. */
  readonly onEnd: (refusal: Response | null) => void
}

/**
 * Opens one event stream and does not reconnect. Uses `fetch`, because `EventSource` hides the status, `Retry-After`, and the comments that
 * tell a quiet stream from a dead one. Returns a function that closes the stream.
 */
export function openEventStream(
  url: string,
  { fetch, timers }: Pick<ClientContext, 'fetch' | 'timers'>,
  { onOpen, onMessage, onEnd }: EventStreamEvents,
): () => void {
  const aborter = new AbortController()
  const { signal } = aborter
  const silence = new Timer(timers)
  let cancel: () => unknown = () => undefined
  const close = () => {
    silence.stop()
    aborter.abort()
    // Expo's `fetch` hears of no abort: the server would go on to send.
    cancel()
  }
  const end = (refusal: Response | null = null) => {
    if (signal.aborted) return
    close()
    onEnd(refusal)
  }
  const watchSilence = () => silence.start(SILENCE_MS, end)

  async function read(): Promise<void> {
    watchSilence()
    const response = await fetch(url, { headers: { accept: 'text/event-stream' }, signal })
    if (response.status !== 200) return end(response)
    const { headers, body } = response
    // The login page of a captive portal has status 200, too.
    // React Native's responses have no body that can be read in parts, and its Hermes may lack a decoder, which then throws here.
    if (!body || !headers.get('content-type')?.startsWith('text/event-stream')) return end()
    const reader = body.getReader()
    cancel = () => reader.cancel().catch(() => {})
    if (signal.aborted) return void cancel()
    const decoder = new TextDecoder()
    onOpen()
    const eventsOf = createEventReader()
    const readMessage = createMessageReader()
    for (;;) {
      const { done, value } = await reader.read()
      if (done || signal.aborted) break
      watchSilence()
      const events = eventsOf(decoder.decode(value, { stream: true }))
      if (events === null) break
      for (const data of events) {
        const message = readMessage(data)
        // Only a new stream brings the whole state again.
        if (message.type === 'missed') return end()
        if (!signal.aborted) onMessage(message)
      }
    }
    end()
  }

  read().catch(() => end())
  return close
}

/** The longest event that is read, in characters. No event of the protocol is larger. */
const MAX_BUFFER = 1 << 17

/**
 * A parser of `text/event-stream` that takes the text in pieces, cut anywhere, and returns the data of the events that a piece completes;
 * `null`: the text is not an event stream. Types and ids are ignored, because every message carries its type and place.
 */
export function createEventReader(): (piece: string) => readonly string[] | null {
  let rest = ''
  let data: string | null = null
  return piece => {
    rest += piece
    // A carriage return at the end may be the first half of a line break.
    const lines = rest.split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop() ?? ''
    const events: string[] = []
    for (const line of lines) {
      if (line === '') {
        if (data !== null) events.push(data)
        data = null
        continue
      }
      const field = /^data(?:: ?(.*))?$/s.exec(line)
      if (field === null) continue
      const [, value = ''] = field
      data = data === null ? value : `${data}\n${value}`
    }
    return rest.length + (data ?? '').length > MAX_BUFFER ? null : events
  }
}
