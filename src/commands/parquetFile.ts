import { constants, zstdCompressSync } from 'node:zlib'
import { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import { copiedFields } from '#store/exports/copiedFields.ts'
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
 * Turns the rows of a COPY in the format `binary` into a Parquet file, group by group. The columns have the names of REST, with points.
 *
 * @param metadata of the file
 */
export function parquetOf({ columns }: View, metadata: Readonly<Record<string, string>>) {
  return async function* encode(copied: AsyncIterable<Buffer>): AsyncGenerator<Uint8Array> {
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
    for await (const group of groupsOf(copied, columns)) {
      const columnData = columns.map(({ name, kind }, index) => ({
        name,
        data: group[index] ?? [],
        // The smallest and largest text of a group rarely let a reader skip it, and finding them takes a fifth of the time.
        statistics: TYPES[kind] !== TEXT,
        ...(REPEATED.includes(kind) ? {} : { encoding: 'PLAIN' as const }),
      }))
      await file.write({ columnData, rowGroupSize: ROWS_PER_GROUP })
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

type Value = Uint8Array | bigint | number | null

/** The values of so many rows, column by column. */
async function* groupsOf(copied: AsyncIterable<Buffer>, columns: View['columns']): AsyncGenerator<readonly Value[][]> {
  const emptyGroup = () => columns.map((): Value[] => [])
  let group = emptyGroup()
  for await (const { bytes, places } of copiedFields(copied, columns.length)) {
    for (let place = 0; place < places.length; ) {
      for (const [index, { kind }] of columns.entries()) {
        group[index]?.push(toValue(bytes, places[place++] ?? -1, places[place++] ?? 0, kind))
      }
      if (group[0]?.length === ROWS_PER_GROUP) {
        yield group
        group = emptyGroup()
      }
    }
  }
  if (group[0]?.length !== 0) yield group
}

function toValue(bytes: Buffer, start: number, end: number, kind: ColumnKind): Value {
  if (start === -1) return null
  const { type } = TYPES[kind]
  if (type === 'INT64') return bytes.readBigInt64BE(start)
  if (type === 'DOUBLE') return bytes.readDoubleBE(start)
  // A part of the same memory: a Buffer takes twice as long to make.
  return new Uint8Array(bytes.buffer, bytes.byteOffset + start, end - start)
}
