import { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import { type CopiedRanges, type CopiedRows, copiedFields } from '#store/exports/copiedFields.ts'
import { fieldsPerRow } from '#store/exports/copyStatement.ts'
import type { View } from '#store/views/view.ts'
import { encodeColumns, parquetSchema, writeRowGroup } from './parquetRowGroup.ts'

const MIB = 2 ** 20

/**
 * Turns the rows of COPYs into a Parquet file, group by group. The columns have the names of REST, with points.
 *
 * @param metadata of the file
 * @param bytesPerGroup the least number of copied bytes; they are in memory together, and a reader skips whole groups
 */
export function parquetOf(view: View, metadata: Readonly<Record<string, string>>, bytesPerGroup = 16 * MIB) {
  const { columns } = view
  return async function* encode(ranges: CopiedRanges): AsyncGenerator<Uint8Array> {
    const writer = new ByteWriter()
    const file = new ParquetWriter({
      writer,
      schema: parquetSchema(columns),
      createdBy: 'tokenwire',
      kvMetadata: Object.entries(metadata).map(([key, value]) => ({ key, value })),
    })
    for await (const rows of groupsOf(copiedFields(ranges, fieldsPerRow(view)), bytesPerGroup)) {
      const group = writeRowGroup(writer, await encodeColumns(view, rows))
      file.row_groups.push(group)
      file.num_rows += group.num_rows
      yield taken(writer)
    }
    await file.finish()
    yield taken(writer)
  }
}

/** The bytes that were written since it was called last. */
function taken(writer: ByteWriter): Uint8Array {
  const bytes = writer.getBytes().slice()
  writer.index = 0
  return bytes
}

/** Parts of at least so many bytes together, or the last ones. */
async function* groupsOf(parts: AsyncIterable<CopiedRows>, least: number): AsyncGenerator<readonly CopiedRows[]> {
  let group: CopiedRows[] = []
  let bytes = 0
  for await (const part of parts) {
    group.push(part)
    bytes += part.bytes.length
    if (bytes < least) continue
    yield group
    group = []
    bytes = 0
  }
  if (bytes > 0) yield group
}
