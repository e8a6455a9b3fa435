export interface StreamEvent {
  readonly type: string
  readonly data: string
}

/** In characters. No event of the protocol is larger. */
const MAX_BUFFER = 1 << 17

/**
 * A parser of `text/event-stream` that takes the text in pieces, cut anywhere, and returns the events that a piece completes; `null`: the
 * text is not an event stream. Event ids are ignored, because every update carries its sequence.
 */
export function createEventReader(): (piece: string) => readonly StreamEvent[] | null {
  let rest = ''
  let type = ''
  let data: string | null = null
  return piece => {
    rest += piece
    // A carriage return at the end may be the first half of a line break.
    const lines = rest.split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop() ?? ''
    const events: StreamEvent[] = []
    for (const line of lines) {
      if (line === '') {
        if (data !== null) events.push({ type: type || 'message', data })
        type = ''
        data = null
        continue
      }
      const [, name, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? []
      if (name === 'event') type = value
      else if (name === 'data') data = data === null ? value : `${data}\n${value}`
    }
    return rest.length + (data ?? '').length > MAX_BUFFER ? null : events
  }
}
