import { constants, zstdCompressSync } from 'node:zlib'
import { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import { type CopiedRanges, type CopiedRows, copiedFields } from '#store/exports/copiedFields.ts'
import type { ColumnKind, View } from '#store/views/view.ts'

/** The rows of a group are in memory together. A reader skips whole groups. */
const ROWS_PER_GROUP = 20_000

/** The fastest level. */
const FASTEST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }

type ParquetSchema = ConstructorParameters<typeof ParquetWriter>[0]['schema']
type ParquetType = Pick<ParquetSchema[number], 'type' | 'converted_type'>

const TEXT: ParquetType = { type: 'BYTE_ARRAY', converted_type: 'UTF8' }
const INTEGER: ParquetType = { type: 'INT64' }
const TIMESTAMP: ParquetType = { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' }

/** Decimals are text, since a price may have more digits than a decimal of Parquet. */
const TYPES: Readonly<Record<ColumnKind, ParquetType>> = {
  text: TEXT,
  bytes: TEXT,
  decimal: TEXT,
  json: TEXT,
  block: INTEGER,
  count: INTEGER,
  seconds: INTEGER,
  number: { type: 'DOUBLE' },
  time: TIMESTAMP,
  timeMs: TIMESTAMP,
}

/**
 * Turns the rows of COPYs in the format `binary` into a Parquet file, group by group. The columns have the names of REST, with points.
 *
 * @param metadata of the file
 */
export function parquetOf({ columns }: View, metadata: Readonly<Record<string, string>>) {
  return async function* encode(ranges: CopiedRanges): AsyncGenerator<Uint8Array> {
    const writer = new ByteWriter()
    const file = new ParquetWriter({
      writer,
      schema: [
        { name: 'root', num_children: columns.length },
        ...columns.map(({ name, kind }) => ({ name, repetition_type: 'OPTIONAL' as const, ...TYPES[kind] })),
      ],
      codec: 'ZSTD',
      compressors: { ZSTD: bytes => zstdCompressSync(bytes, FASTEST) },
      createdBy: 'tokenwire',
      kvMetadata: Object.entries(metadata).map(([key, value]) => ({ key, value })),
    })
    for await (const group of groupsOf(ranges, columns.length)) {
      const columnData = columns.map(({ name, kind }, index) => ({
        name,
        // Made when the column is written: values of all columns in memory together would cost more than all the rest.
        get data() {
          return valuesOf(group, { kind, index, width: columns.length })
        },
        // The smallest and largest text of a group rarely let a reader skip it, and finding them takes a fifth of the time.
        statistics: TYPES[kind] !== TEXT,
        ...(REPEATED.includes(kind) ? {} : { encoding: 'PLAIN' as const }),
      }))
      await file.write({ columnData, rowGroupSize: Infinity })
      yield taken(writer)
    }
    await file.finish()
    yield taken(writer)
  }
}

/** Kinds of columns that often have few different values, so that a dictionary of them is tried. */
const REPEATED: readonly ColumnKind[] = ['text']

/** The bytes that were written since it was called last. */
function taken(writer: ByteWriter): Uint8Array {
  const bytes = writer.getBytes().slice()
  writer.index = 0
  return bytes
}

/** Parts of at least so many rows together, or the last ones. */
async function* groupsOf(ranges: CopiedRanges, width: number): AsyncGenerator<readonly CopiedRows[]> {
  let group: CopiedRows[] = []
  let rows = 0
  for await (const part of copiedFields(ranges, width)) {
    group.push(part)
    rows += part.places.length / (2 * width)
    if (rows < ROWS_PER_GROUP) continue
    yield group
    group = []
    rows = 0
  }
  if (rows > 0) yield group
}

type Value = Uint8Array | bigint | number | null

interface PlacedColumn {
  readonly kind: ColumnKind
  readonly index: number
  /** The number of columns. */
  readonly width: number
}

function valuesOf(group: readonly CopiedRows[], { kind, index, width }: PlacedColumn): Value[] {
  const values: Value[] = []
  for (const { bytes, places } of group) {
    for (let place = 2 * index; place < places.length; place += 2 * width) {
      values.push(toValue(bytes, places[place] ?? -1, places[place + 1] ?? -1, kind))
    }
  }
  return values
}

function toValue(bytes: Buffer, start: number, end: number, kind: ColumnKind): Value {
  if (start === -1) return null
  const { type } = TYPES[kind]
  if (type === 'INT64') return bytes.readBigInt64BE(start)
  if (type === 'DOUBLE') return bytes.readDoubleBE(start)
  // A part of the same memory: a Buffer takes twice as long to make.
  return new Uint8Array(bytes.buffer, bytes.byteOffset + start, end - start)
}
