import type { Token } from '#resources/token.ts'
import { byteLength } from './cutText.ts'
import { MAX_MESSAGE_BYTES } from './limits.ts'
import { LIST_CELLS } from './listCells.ts'

/** The names of a row's cells, in order. */
export const LIST_COLUMNS: readonly string[] = Object.keys(LIST_CELLS)

const IMAGE = LIST_COLUMNS.indexOf('imageUrl')
const NAME = LIST_COLUMNS.indexOf('name')
const SYMBOL = LIST_COLUMNS.indexOf('symbol')

/** Besides columns and rows a message has its type, an `id` of 64 escaped characters, sequence and block. */
const HEAD_BYTES = 1_024

/** The columns that a list leaves out to fit, one after the other, each from the last row to the first. */
const OMITTED = [IMAGE, NAME, SYMBOL]

/**
 * The rows of at most 50 tokens, each as JSON. With `LIST_COLUMNS` they fit into a message of 16,384 bytes: where there is no room, images
 * are left out from the last row on, then names, then symbols.
 */
export function encodeListRows(tokens: readonly Token[]): readonly string[] {
  const rows = tokens.map(token => Object.values(LIST_CELLS).map(cellOf => cellOf(token)))
  let excess = byteLength(JSON.stringify(rows)) + JSON.stringify(LIST_COLUMNS).length + HEAD_BYTES - MAX_MESSAGE_BYTES
  for (const column of OMITTED) {
    for (const row of rows.toReversed()) {
      if (excess <= 0) break
      excess -= byteLength(JSON.stringify(row[column])) - NULL_BYTES
      row[column] = null
    }
  }
  return rows.map(row => JSON.stringify(row))
}

const NULL_BYTES = 4
