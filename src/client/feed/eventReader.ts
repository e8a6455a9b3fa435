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
