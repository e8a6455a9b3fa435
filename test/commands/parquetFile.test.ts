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
    { name: 'count', kind: 'count', sql: '' },
    { name: 'percent', kind: 'number', sql: '' },
    { name: 'none', kind: 'time', sql: '' },
  ],
} as const

const COUNT = 4_000
const BYTES_PER_GROUP = 20_000
const numbers = Array.from({ length: COUNT }, (_, number) => number)
const makerOf = (number: number) => (number % 7 === 0 ? null : Buffer.from([number >> 8, number & 255]))
const rows = numbers.map(number => [makerOf(number), number % 2 === 0 ? 'buy' : '', BigInt(number) - 9n, number / 8, null] as const)

test('a file has the rows of all COPYs in their order, in groups whose bounds it names', async () => {
  const ranges = Readable.from(
    [rows.slice(0, COUNT / 2), rows.slice(COUNT / 2)].map(part => {
      const bytes = copyOf(part)
      return inChunks(bytes, ...[1, 2, 3, 4].map(fifth => Math.floor((fifth * bytes.length) / 5)))
    }),
  )
  const { buffer: file } = new Uint8Array(await buffer(parquetOf(view, {}, BYTES_PER_GROUP)(ranges)))
  const { row_groups: groups, num_rows } = parquetMetadata(file)
  expect([groups.length > 3, num_rows]).toEqual([true, BigInt(COUNT)])
  const boundsOf = (column: number) => groups.map(group => group.columns[column]?.meta_data?.statistics)
  expect([boundsOf(2).at(0)?.min_value, boundsOf(2).at(-1)?.max_value]).toEqual([-9n, BigInt(COUNT - 10)])
  expect([boundsOf(3).at(0)?.min_value, boundsOf(3).at(-1)?.max_value]).toEqual([0, (COUNT - 1) / 8])
  expect([boundsOf(0)[0]?.max_value, boundsOf(4)[0]?.max_value]).toEqual([undefined, undefined])
  const compressors = { ZSTD: (bytes: Uint8Array) => new Uint8Array(zstdDecompressSync(bytes)) }
  const read = await parquetReadObjects({ file, compressors })
  const inHex = (bytes: Buffer | null) => bytes && `0x${bytes.toString('hex')}`
  expect(read).toEqual(rows.map(([maker, side, count, percent, none]) => ({ maker: inHex(maker), side, count, percent, none })))
})
