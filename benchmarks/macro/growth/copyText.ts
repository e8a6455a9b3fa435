import { formatDecimal } from '#domain/decimal.ts'
import type { BatchColumn, BatchColumns } from '#store/rows/batchTable.ts'

/** Rows as lines of PostgreSQL's COPY text format, in the order of the columns. */
export function copyLine<Row>(columns: BatchColumns<Row>): (row: Row) => string {
  const values = Object.values(columns).map(textOf)
  return row => {
    let line = ''
    for (const value of values) line += `${line === '' ? '' : '\t'}${copyValue(value(row))}`
    return line
  }
}

function textOf<Row>(column: BatchColumn<Row>): (row: Row) => string | null {
  if (column.type === 'decimal') return row => mapped(column.value(row), formatDecimal)
  if (column.type === 'bytea') return row => mapped(column.value(row), hex => `\\${hex.slice(1)}`)
  return row => mapped<unknown>(column.value(row), String)
}

function mapped<Value>(value: Value | null, text: (value: Value) => string): string | null {
  return value === null ? null : text(value)
}

const SPECIAL = /[\\\t\n\r]/g
const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }

function copyValue(value: string | null): string {
  return value === null ? '\\N' : value.replace(SPECIAL, character => ESCAPES[character] ?? character)
}
