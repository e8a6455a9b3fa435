import { constants, zstdCompressSync } from 'node:zlib'
import { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import type { CopiedRows } from '#store/exports/copiedFields.ts'
import type { ColumnKind, ViewColumn } from '#store/views/view.ts'

/** What a file says of a column. */
export type ParquetColumn = Pick<ViewColumn, 'name' | 'kind'>

export interface EncodedGroup {
  readonly bytes: Uint8Array
  /** Its places are those in `bytes`. */
  readonly group: RowGroup
}

export type RowGroup = ParquetWriter['row_groups'][number]
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

export function parquetSchema(columns: readonly ParquetColumn[]): ParquetSchema {
  return [
    { name: 'root', num_children: columns.length },
    ...columns.map(({ name, kind }) => ({ name, repetition_type: 'OPTIONAL' as const, ...TYPES[kind] })),
  ]
}

/** The fastest level. */
const FASTEST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }
/** The signature of a file, with which the writer begins. */
const SIGNATURE_BYTES = 4
/** Kinds of columns that often have few different values, so that a dictionary of them is tried. */
const REPEATED: readonly ColumnKind[] = ['text']

/** Encodes rows in the form of `binaryForm` as a group of rows of a Parquet file. */
export function encodeRowGroup(columns: readonly ParquetColumn[], rows: readonly CopiedRows[]): EncodedGroup {
  const writer = new ByteWriter()
  const compressors = { ZSTD: (bytes: Uint8Array) => zstdCompressSync(bytes, FASTEST) }
  const file = new ParquetWriter({ writer, schema: parquetSchema(columns), codec: 'ZSTD', compressors })
  const columnData = columns.map(({ name, kind }, index) => ({
    name,
    // Made when the column is written: values of all columns in memory together would cost more than all the rest.
    get data() {
      return valuesOf(rows, { kind, index, width: columns.length })
    },
    // Its places would have to be moved, too. Readers find pages without it.
    offsetIndex: false,
    // The smallest and largest text of a group rarely let a reader skip it, and finding them takes a fifth of the time.
    statistics: TYPES[kind] !== TEXT,
    ...(REPEATED.includes(kind) ? {} : { encoding: 'PLAIN' as const }),
  }))
  void file.write({ columnData, rowGroupSize: Infinity })
  const [group] = file.row_groups
  if (group === undefined) throw new RangeError('a group without rows')
  return { bytes: writer.getBytes().slice(SIGNATURE_BYTES), group: movedBy(-SIGNATURE_BYTES, group) }
}

/** The description of a group whose data is moved this number of bytes towards the end of the file. */
export function movedBy(bytes: number, group: RowGroup): RowGroup {
  const by = BigInt(bytes)
  const columns = group.columns.map(({ file_offset, meta_data, ...column }) => ({
    ...column,
    file_offset: file_offset + by,
    ...(meta_data === undefined ? {} : { meta_data: { ...meta_data, ...movedPages(by, meta_data) } }),
  }))
  return { ...group, columns }
}

type Pages = Pick<NonNullable<RowGroup['columns'][number]['meta_data']>, 'data_page_offset' | 'dictionary_page_offset'>

function movedPages(by: bigint, { data_page_offset, dictionary_page_offset }: Pages): Pages {
  const dictionary = dictionary_page_offset === undefined ? {} : { dictionary_page_offset: dictionary_page_offset + by }
  return { data_page_offset: data_page_offset + by, ...dictionary }
}

type Value = Uint8Array | bigint | number | null

interface PlacedColumn {
  readonly kind: ColumnKind
  readonly index: number
  /** The number of columns. */
  readonly width: number
}

function valuesOf(rows: readonly CopiedRows[], { kind, index, width }: PlacedColumn): Value[] {
  const values: Value[] = []
  for (const { bytes, places } of rows) {
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
