import type { ColumnKind, View } from '#store/views/view.ts'
import { type CopiedRanges, copiedFields } from './copiedFields.ts'
import { fieldsPerRow } from './copyStatement.ts'
import { writeFieldText } from './fieldText.ts'
import { GrowingBuffer } from './growingBuffer.ts'

const [QUOTE, COMMA, LINE_END, RETURN] = [...Buffer.from('",\n\r')] as [number, number, number, number]

/** Turns the rows of COPYs into CSV as PostgreSQL writes it: `null` is an empty cell, an empty text is `""`. */
export function csvLinesOf(view: View) {
  const kinds = view.columns.map(({ kind }) => kind)
  const fields = fieldsPerRow(view)
  return async function* encode(ranges: CopiedRanges): AsyncGenerator<Buffer> {
    const text = new GrowingBuffer()
    text.utf8(`${view.columns.map(({ name }) => name).join(',')}\n`)
    for await (const { bytes, places } of copiedFields(ranges, fields)) {
      for (let row = 0; row < places.length; row += 2 * fields) {
        for (let index = 0; index < kinds.length; index++) {
          const start = places[row + 2 * index] ?? -1
          if (index > 0) text.byte(COMMA)
          if (start !== -1) writeCell(text, kinds[index] ?? 'text', bytes, start, places[row + 2 * index + 1] ?? start)
        }
        text.byte(LINE_END)
      }
      yield text.take()
    }
    yield text.take()
  }
}

function writeCell(text: GrowingBuffer, kind: ColumnKind, bytes: Buffer, start: number, end: number): void {
  if ((kind === 'text' || kind === 'json') && needsQuotes(bytes, start, end)) {
    text.byte(QUOTE)
    text.utf8(bytes.toString('utf8', start, end).replaceAll('"', '""'))
    text.byte(QUOTE)
  } else writeFieldText(text, kind, bytes, start, end)
}

function needsQuotes(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const byte = bytes[at]
    if (byte === QUOTE || byte === COMMA || byte === LINE_END || byte === RETURN) return true
  }
  return start === end
}
