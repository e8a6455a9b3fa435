/** The bytes of one COPY after the other. The consumer reads each to its end before the next one. */
export type CopiedRanges = AsyncIterable<AsyncIterable<Buffer>>

/** Rows of a COPY whose fields lie in the same bytes. */
export interface CopiedRows {
  readonly bytes: Buffer
  /** The start and the end in `bytes` of each field of each row, in order. A start of -1: the field is `null`. */
  readonly places: Int32Array
}

/** A COPY begins with a signature, flags and the length of an extension, which is 0. */
const HEADER_BYTES = 19
const COUNT_BYTES = 2
const LENGTH_BYTES = 4

/**
 * Finds the fields of COPYs in the binary format, whose chunks may end anywhere. Does not read the fields' values.
 *
 * @see https://www.postgresql.org/docs/current/sql-copy.html#SQL-COPY-FILE-FORMATS-BINARY
 */
export async function* copiedFields(ranges: CopiedRanges, fieldsPerRow: number): AsyncGenerator<CopiedRows> {
  for await (const range of ranges) yield* fieldsOf(range, fieldsPerRow)
}

async function* fieldsOf(copied: AsyncIterable<Buffer>, fieldsPerRow: number): AsyncGenerator<CopiedRows> {
  let rest: Buffer = Buffer.alloc(0)
  let start = HEADER_BYTES
  for await (const chunk of copied) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    const places: number[] = []
    const end = findRows(bytes, start, fieldsPerRow, places)
    rest = bytes.subarray(end)
    start = Math.max(0, start - bytes.length)
    if (places.length > 0) yield { bytes, places: new Int32Array(places) }
  }
}

/** Adds the places of whole rows to `places`. @returns the end of the last whole row; the trailer of a COPY is no row */
function findRows(bytes: Buffer, from: number, fieldsPerRow: number, places: number[]): number {
  let rowStart = from
  for (;;) {
    const found = places.length
    let at = rowStart + COUNT_BYTES
    for (let field = 0; field < fieldsPerRow && at <= bytes.length; field++) {
      const length = at + LENGTH_BYTES <= bytes.length ? bytes.readInt32BE(at) : Infinity
      at += LENGTH_BYTES
      places.push(length < 0 ? -1 : at, at + Math.max(0, length))
      at += Math.max(0, length)
    }
    if (at > bytes.length) {
      places.length = found
      return rowStart
    }
    rowStart = at
  }
}
