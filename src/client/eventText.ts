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
  let data: string[] = []
  return piece => {
    rest += piece
    // A return at the end may be the first half of a line's end.
    const lines = rest.split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop() ?? ''
    if (rest.length > MAX_BUFFER) return null
    const events: StreamEvent[] = []
    for (const line of lines) {
      if (line === '') {
        if (data.length > 0) events.push({ type: type || 'message', data: data.join('\n') })
        type = ''
        data = []
        continue
      }
      const [, name, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? []
      if (name === 'event') type = value
      else if (name === 'data') data.push(value)
    }
    return events
  }
}
