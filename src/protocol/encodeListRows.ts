import type { Token } from '#resources/token.ts'
import { byteLength } from './encodeUpdate.ts'
import { MAX_LIST_ROWS, MAX_MESSAGE_BYTES } from './limits.ts'
import { LIST_CELLS, LIST_COLUMNS } from './listCells.ts'

const IMAGE = LIST_COLUMNS.indexOf('imageUrl')
const NAME = LIST_COLUMNS.indexOf('name')
const SYMBOL = LIST_COLUMNS.indexOf('symbol')

/** Besides columns and rows a message has its type, an `id` of 64 escaped characters, sequence and block. */
const HEAD_BYTES = 1_024

/** What the rows of a message may take, as JSON with commas. */
export const ROWS_BYTES = MAX_MESSAGE_BYTES - HEAD_BYTES - JSON.stringify(LIST_COLUMNS).length

/** The columns that a list leaves out to fit, one after the other, each from the last row to the first. */
const OMITTED = [IMAGE, NAME, SYMBOL]

/**
 * The rows of tokens, each as JSON. Each 50 of them fit into a message of 16,384 bytes with `LIST_COLUMNS`: where there is no room, images
 * are left out from the last row on, then names, then symbols. Rows of more tokens have no images.
 */
export function encodeListRows(tokens: readonly Token[]): readonly string[] {
  const rows = tokens.map(token => Object.values(LIST_CELLS).map(cellOf => cellOf(token)))
  if (tokens.length > MAX_LIST_ROWS) for (const row of rows) row[IMAGE] = null
  const parts = Array.from({ length: Math.ceil(rows.length / MAX_LIST_ROWS) }, (_, part) =>
    rows.slice(part * MAX_LIST_ROWS, (part + 1) * MAX_LIST_ROWS),
  )
  for (const part of parts) shorten(part)
  return rows.map(row => JSON.stringify(row))
}

type Row = (string | number | null)[]

function shorten(rows: readonly Row[]): void {
  let excess = byteLength(JSON.stringify(rows)) - ROWS_BYTES
  for (const column of OMITTED) {
    for (const row of rows.toReversed()) {
      if (excess <= 0) return
      excess -= byteLength(JSON.stringify(row[column])) - NULL_BYTES
      row[column] = null
    }
  }
}

const NULL_BYTES = 4
