import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { zstdDecompressSync } from 'node:zlib'
import { parquetMetadata, parquetReadObjects } from 'hyparquet'
import { expect, test } from 'vitest'
import { EXPORTED } from '#store/views/views.ts'
import { copyOf, inChunks } from '#test/support/copiedBytes.ts'
import { parquetOf } from '../../src/commands/parquetFile.ts'

const view = {
  ...EXPORTED.trades,
  columns: [
    { name: 'maker', kind: 'bytes', sql: '' },
    { name: 'side', kind: 'text', sql: '' },
    { name: 'number', kind: 'count', sql: '' },
  ],
} as const

const COUNT = 4_000
const ROWS_PER_GROUP = 500
const rowOf = (number: number) => [number % 7 === 0 ? null : `0x${number}`, number % 2 === 0 ? 'buy' : 'sell', BigInt(number)] as const
const rows = Array.from({ length: COUNT }, (_, number) => rowOf(number))

/** Two COPYs, in parts of about 400 rows. */
const ranges = (last = rows) => {
  const half = COUNT / 2
  return Readable.from(
    [rows.slice(0, half), last.slice(half)].map(part => {
      const bytes = copyOf(part)
      return inChunks(bytes, ...[1, 2, 3, 4].map(fifth => Math.floor((fifth * bytes.length) / 5)))
    }),
  )
}

test('groups that threads encode are in the order of the rows, and are found where the file says', async () => {
  const { buffer: file } = new Uint8Array(await buffer(parquetOf(view, {}, ROWS_PER_GROUP)(ranges())))
  expect(parquetMetadata(file).row_groups.length).toBeGreaterThan(3)
  const compressors = { ZSTD: (bytes: Uint8Array) => new Uint8Array(zstdDecompressSync(bytes)) }
  const read = await parquetReadObjects({ file, compressors })
  expect(read.map(row => [row['maker'], row['side'], row['number']])).toEqual(rows)
})

test('a group that a thread fails to encode ends the export', async () => {
  const broken = [...rows.slice(0, -1), ['0x1', 'buy', '']] as unknown as typeof rows
  await expect(buffer(parquetOf(view, {}, ROWS_PER_GROUP)(ranges(broken)))).rejects.toThrow(RangeError)
})
