import type { Hex } from '#domain/address.ts'
import type { Column } from '#tables/columns.ts'

/** Rows as lines of PostgreSQL's COPY text format, in the order of the columns. */
export function copyLine(columns: readonly Column[]): (row: object) => string {
  return row => columns.map(column => copyValue(textOf(column, (row as Record<string, unknown>)[column.field]))).join('\t')
}

function textOf({ type }: Column, value: unknown): string | null {
  if (value === null) return null
  // Not by way of a Buffer.
  if (type.getColumnType() === 'bytea') return `\\${(value as Hex).slice(1)}`
  return String(type.convertToDatabaseValue(value))
}

const SPECIAL = /[\\\t\n\r]/g
const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }

function copyValue(value: string | null): string {
  return value === null ? '\\N' : value.replace(SPECIAL, character => ESCAPES[character] ?? character)
}
