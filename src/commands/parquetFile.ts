import { StringDecoder } from 'node:string_decoder'
import { constants, zstdCompressSync } from 'node:zlib'
import { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import { type CopiedRanges, exportedName } from '#store/exports/copyOut.ts'
import type { ColumnKind, View } from '#store/views/view.ts'

type ParquetSchema = ConstructorParameters<typeof ParquetWriter>[0]['schema']
type ParquetType = Pick<ParquetSchema[number], 'type' | 'converted_type'>
type Line = Readonly<Record<string, unknown>>

interface NamedColumn {
  readonly name: string
  readonly kind: ColumnKind
}

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
 * How columns of text are written, before the end of the file names their type: of those that it knows to be UTF-8, the library holds the
 * bytes of each value until a group is written, which takes half as much time again.
 */
const BYTES: ParquetType = { type: 'BYTE_ARRAY' }
const UNNAMED_TEXTS = { text: BYTES, bytes: BYTES, decimal: BYTES, json: BYTES } as const

const MIB = 2 ** 20
const FASTEST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }

/**
 * Turns lines of JSON into a Parquet file, group by group.
 *
 * @param metadata of the file
 * @param bytesPerGroup the least number of bytes of lines; they are in memory together, and a reader skips whole groups
 */
export function parquetOf({ columns }: View, metadata: Readonly<Record<string, string>>, bytesPerGroup = 16 * MIB) {
  const named = columns.map(column => ({ kind: column.kind, name: exportedName(column) }))
  return async function* encode(ranges: CopiedRanges): AsyncGenerator<Uint8Array> {
    const writer = new ByteWriter()
    const file = new ParquetWriter({
      writer,
      schema: schemaOf(named, { ...TYPES, ...UNNAMED_TEXTS }),
      codec: 'ZSTD',
      compressors: { ZSTD: bytes => zstdCompressSync(bytes, FASTEST) },
      createdBy: 'tokenwire',
      kvMetadata: Object.entries(metadata).map(([key, value]) => ({ key, value })),
    })
    for await (const group of groupsOf(ranges, named, bytesPerGroup)) {
      const columnData = named.map(({ name, kind }, index) => ({
        name,
        data: group[index] ?? [],
        // zstd finds what repeats, in a fraction of the time that a dictionary takes.
        encoding: 'PLAIN' as const,
        // Bounds of a group's texts rarely let a reader skip it.
        statistics: TYPES[kind] !== TEXT,
      }))
      await file.write({ columnData, rowGroupSize: group[0]?.length ?? 0 })
      yield taken(writer)
    }
    file.schema = schemaOf(named, TYPES)
    await file.finish()
    yield taken(writer)
  }
}

function schemaOf(columns: readonly NamedColumn[], types: Readonly<Record<ColumnKind, ParquetType>>): ParquetSchema {
  const described = columns.map(({ name, kind }) => ({ name, repetition_type: 'OPTIONAL' as const, ...types[kind] }))
  return [{ name: 'root', num_children: columns.length }, ...described]
}

function parquetValue(kind: ColumnKind, value: unknown): unknown {
  if (value === null) return null
  if (kind === 'json') return JSON.stringify(value)
  if (TYPES[kind] === TIMESTAMP) return new Date(value as string)
  return TYPES[kind] === INTEGER ? BigInt(value as string | number) : value
}

/** The bytes that were written since it was called last. */
function taken(writer: ByteWriter): Uint8Array {
  const bytes = writer.getBytes().slice()
  writer.index = 0
  return bytes
}

/** The values of each column, of lines of at least so many bytes together, or of the last ones. */
async function* groupsOf(ranges: CopiedRanges, columns: readonly NamedColumn[], least: number): AsyncGenerator<readonly unknown[][]> {
  const empty = () => columns.map((): unknown[] => [])
  let group = empty()
  let bytes = 0
  for await (const range of ranges) {
    const decoder = new StringDecoder()
    let rest = ''
    for await (const chunk of range) {
      const text = rest + decoder.write(chunk)
      const end = text.lastIndexOf('\n')
      rest = text.slice(end + 1)
      for (const line of linesOf(text.slice(0, Math.max(0, end))))
        columns.forEach(({ name, kind }, index) => group[index]?.push(parquetValue(kind, line[name])))
      bytes += chunk.length
      if (bytes < least || end < 0) continue
      yield group
      group = empty()
      bytes = 0
    }
  }
  if ((group[0]?.length ?? 0) > 0) yield group
}

/** Ends of lines stand between objects only: within texts, JSON has them as `\\n`. */
function linesOf(text: string): readonly Line[] {
  return JSON.parse(`[${text.replaceAll('\n', ',')}]`) as readonly Line[]
}
