import type { ColumnKind, View } from '#store/views/view.ts'
import { type CopiedRanges, type CopiedRows, copiedFields } from './copiedFields.ts'
import { fieldsPerRow } from './copyStatement.ts'
import { writeFieldText } from './fieldText.ts'
import { GrowingBuffer } from './growingBuffer.ts'

/** A value of a line, with the bytes before it: a brace or comma, and its own name. */
type JsonValue = { readonly before: Buffer } & (JsonColumn | JsonObject)

interface JsonColumn {
  readonly type: 'column'
  readonly kind: ColumnKind
  /** The index of its field in a row. */
  readonly field: number
}

interface JsonObject {
  readonly type: 'object'
  readonly values: readonly JsonValue[]
  /** The index of the field that says whether the object is `null`. Default: it never is. */
  readonly absence?: number
}

/** Kinds whose values have no quotes in JSON. */
const UNQUOTED: readonly ColumnKind[] = ['count', 'number', 'seconds', 'json']
const NULL = Buffer.from('null')
const [QUOTE, BACKSLASH, SPACE, LINE_END, BRACE] = [...Buffer.from('"\\ \n}')] as [number, number, number, number, number]

/** Turns the rows of COPYs into lines of JSON, each an item as REST shows it. */
export function jsonLinesOf(view: View) {
  const line = objectOf(view, '')
  const fields = fieldsPerRow(view)
  return async function* encode(ranges: CopiedRanges): AsyncGenerator<Buffer> {
    const text = new GrowingBuffer()
    for await (const rows of copiedFields(ranges, fields)) {
      for (let row = 0; row < rows.places.length; row += 2 * fields) {
        writeObject(text, line, rows, row)
        text.byte(LINE_END)
      }
      yield text.take()
    }
  }
}

/** The object of the columns whose paths begin with `prefix`. */
function objectOf(view: View, prefix: string): JsonObject {
  const within = view.columns.filter(({ name }) => name.startsWith(prefix))
  const names = [...new Set(within.map(({ name }) => name.slice(prefix.length).split('.')[0] ?? ''))]
  const values = names.map((name, index): JsonValue => {
    const before = Buffer.from(`${index === 0 ? '{' : ','}${JSON.stringify(name)}:`)
    const field = view.columns.findIndex(column => column.name === `${prefix}${name}`)
    const column = view.columns[field]
    return column === undefined ? { before, ...objectOf(view, `${prefix}${name}.`) } : { before, type: 'column', kind: column.kind, field }
  })
  const absence = Object.keys(view.absent ?? {}).indexOf(prefix.slice(0, -1))
  return { type: 'object', values, ...(absence === -1 ? {} : { absence: view.columns.length + absence }) }
}

/** @param row the index in `places` of the row's first field */
function writeObject(text: GrowingBuffer, { values, absence }: JsonObject, rows: CopiedRows, row: number): void {
  if (absence !== undefined && rows.bytes[rows.places[row + 2 * absence] ?? 0] === 1) {
    text.copy(NULL)
    return
  }
  for (const value of values) {
    text.copy(value.before)
    if (value.type === 'object') writeObject(text, value, rows, row)
    else writeColumn(text, value, rows, row)
  }
  text.byte(BRACE)
}

function writeColumn(text: GrowingBuffer, { kind, field }: JsonColumn, { bytes, places }: CopiedRows, row: number): void {
  const [start, end] = [places[row + 2 * field] ?? -1, places[row + 2 * field + 1] ?? -1]
  if (start === -1) text.copy(NULL)
  else if (UNQUOTED.includes(kind)) writeFieldText(text, kind, bytes, start, end)
  else if (kind === 'text' && needsEscape(bytes, start, end)) text.utf8(JSON.stringify(bytes.toString('utf8', start, end)))
  else {
    text.byte(QUOTE)
    writeFieldText(text, kind, bytes, start, end)
    text.byte(QUOTE)
  }
}

function needsEscape(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const byte = bytes[at] ?? 0
    if (byte < SPACE || byte === QUOTE || byte === BACKSLASH) return true
  }
  return false
}
