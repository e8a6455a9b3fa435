import { promisify } from 'node:util'
import { constants, zstdCompress } from 'node:zlib'
import { ByteWriter, type ParquetWriter } from 'hyparquet-writer'
import { writePageHeader } from 'hyparquet-writer/src/datapage.js'
import { writeRleBitPackedHybrid } from 'hyparquet-writer/src/encoding.js'
import type { CopiedRows } from '#store/exports/copiedFields.ts'
import { fieldsPerRow } from '#store/exports/copyStatement.ts'
import { readInteger, writeFieldText } from '#store/exports/fieldText.ts'
import { GrowingBuffer } from '#store/exports/growingBuffer.ts'
import type { ColumnKind, View, ViewColumn } from '#store/views/view.ts'

type RowGroup = ParquetWriter['row_groups'][number]
type ColumnMetadata = NonNullable<RowGroup['columns'][number]['meta_data']>
type ParquetSchema = ConstructorParameters<typeof ParquetWriter>[0]['schema']
type ParquetType = Pick<ParquetSchema[number], 'converted_type'> & { readonly type: 'BYTE_ARRAY' | 'INT64' | 'DOUBLE' }

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

export function parquetSchema(columns: readonly ViewColumn[]): ParquetSchema {
  return [
    { name: 'root', num_children: columns.length },
    ...columns.map(({ name, kind }) => ({ name, repetition_type: 'OPTIONAL' as const, ...TYPES[kind] })),
  ]
}

/** The values of a column as Parquet's encoding `PLAIN` has them: one after the other, without those that are `null`. */
interface PlainColumn {
  readonly values: Buffer
  /** Of each row: 0 if its value is `null`, else 1. */
  readonly levels: Uint8Array
  readonly nulls: number
  /** Of numbers and times alone: the bounds of a group's texts rarely let a reader skip it. */
  readonly bounds: { readonly min_value?: Bound; readonly max_value?: Bound }
}

type Bound = number | bigint

export interface EncodedColumn extends PlainColumn {
  readonly name: string
  readonly type: ParquetType['type']
  readonly compressed: Uint8Array
}

const compress = promisify(zstdCompress)
const FASTEST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }

/** Encodes each column of rows that `copyStatement` copies. */
export function encodeColumns(view: View, rows: readonly CopiedRows[]): Promise<readonly EncodedColumn[]> {
  const width = fieldsPerRow(view)
  const buffer = new GrowingBuffer()
  return Promise.all(
    view.columns.map(async ({ name, kind }, index) => {
      const column = plainColumn(buffer, rows, { kind, index, width })
      return { name, type: TYPES[kind].type, ...column, compressed: await compress(column.values, FASTEST) }
    }),
  )
}

interface PlacedColumn {
  readonly kind: ColumnKind
  readonly index: number
  /** The number of fields in a row. */
  readonly width: number
}

function plainColumn(buffer: GrowingBuffer, rows: readonly CopiedRows[], { kind, index, width }: PlacedColumn): PlainColumn {
  const { type } = TYPES[kind]
  const levels = new Uint8Array(rows.reduce((sum, { places }) => sum + places.length / (2 * width), 0))
  let [row, nulls] = [0, 0]
  let bounds: { min_value: Bound; max_value: Bound } | null = null
  for (const { bytes, places } of rows) {
    for (let place = 2 * index; place < places.length; place += 2 * width, row++) {
      const [start, end] = [places[place] ?? -1, places[place + 1] ?? -1]
      if (start === -1) {
        nulls++
        continue
      }
      levels[row] = 1
      if (type === 'BYTE_ARRAY') {
        buffer.uint32(kind === 'bytes' ? 2 + 2 * (end - start) : end - start)
        writeFieldText(buffer, kind, bytes, start, end)
        continue
      }
      const value = type === 'DOUBLE' ? bytes.readDoubleBE(start) : readInteger(bytes, start)
      buffer.reversed(bytes, start, end)
      if (bounds === null) bounds = { min_value: value, max_value: value }
      else if (value < bounds.min_value) bounds.min_value = value
      else if (value > bounds.max_value) bounds.max_value = value
    }
  }
  return { values: buffer.take(), levels, nulls, bounds: bounds ?? {} }
}

/** Writes a group of rows: a page for each column. @returns its description, for the end of the file */
export function writeRowGroup(writer: ByteWriter, columns: readonly EncodedColumn[]): RowGroup {
  const start = writer.offset
  const described = columns.map(column => {
    const file_offset = BigInt(writer.offset)
    return { file_offset, meta_data: writeColumn(writer, column) }
  })
  return {
    columns: described,
    num_rows: BigInt(columns[0]?.levels.length ?? 0),
    total_byte_size: described.reduce((sum, { meta_data }) => sum + meta_data.total_uncompressed_size, 0n),
    total_compressed_size: BigInt(writer.offset - start),
  }
}

function writeColumn(writer: ByteWriter, { name, type, values, levels, nulls, bounds, compressed }: EncodedColumn): ColumnMetadata {
  const start = writer.offset
  const levelWriter = new ByteWriter()
  const levelBytes = writeRleBitPackedHybrid(levelWriter, levels, 1)
  writePageHeader(writer, {
    type: 'DATA_PAGE_V2',
    uncompressed_page_size: levelBytes + values.length,
    compressed_page_size: levelBytes + compressed.length,
    data_page_header_v2: {
      num_values: levels.length,
      num_nulls: nulls,
      num_rows: levels.length,
      encoding: 'PLAIN',
      definition_levels_byte_length: levelBytes,
      repetition_levels_byte_length: 0,
      is_compressed: true,
    },
  })
  const headerBytes = writer.offset - start
  writer.appendBytes(levelWriter.getBytes())
  writer.appendBytes(compressed)
  return {
    type,
    encodings: ['PLAIN'],
    path_in_schema: [name],
    codec: 'ZSTD',
    num_values: BigInt(levels.length),
    total_compressed_size: BigInt(writer.offset - start),
    total_uncompressed_size: BigInt(headerBytes + levelBytes + values.length),
    data_page_offset: BigInt(start),
    statistics: { null_count: BigInt(nulls), ...bounds },
    encoding_stats: [{ page_type: 'DATA_PAGE_V2', encoding: 'PLAIN', count: 1 }],
  }
}
