import type { BatchColumns } from '#database/batchTable.ts'

/** Rows as lines of PostgreSQL's COPY text format, in the order of the columns. */
export function copyLine<Row>(columns: BatchColumns<Row>): (row: Row) => string {
  const values = Object.values(columns).map(({ value }) => value)
  return row => {
    let line = ''
    for (const value of values) line += `${line === '' ? '' : '\t'}${copyValue(value(row))}`
    return line
  }
}

const SPECIAL = /[\\\t\n\r]/g
const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }

function copyValue(value: string | null): string {
  return value === null ? '\\N' : value.replace(SPECIAL, character => ESCAPES[character] ?? character)
}
