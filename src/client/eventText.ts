/** One event of an event stream. */
export interface StreamEvent {
  readonly type: string
  readonly data: string
}

/** An event larger than this is none of ours. */
const MAX_BUFFER = 1 << 17

/**
 * Reads `text/event-stream` piece by piece, wherever it is cut. Ids are not needed, because every event carries its sequence.
 *
 * @returns the events that the piece completes; `null`: this is no event stream
 */
export function createEventReader(): (piece: string) => readonly StreamEvent[] | null {
  let rest = ''
  let type = ''
  let data: string | null = null
  return piece => {
    rest += piece
    // A return at the end may be the first half of a line's end.
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
