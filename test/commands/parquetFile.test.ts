import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { zstdDecompressSync } from 'node:zlib'
import { parquetMetadata, parquetReadObjects } from 'hyparquet'
import { expect, test } from 'vitest'
import { EXPORTED } from '#store/views/views.ts'
import { parquetOf } from '../../src/commands/parquetFile.ts'

const COLUMNS = { maker: 'bytes', side: 'text', count: 'count', percent: 'number', none: 'time' } as const
const view = {
  ...EXPORTED.trades,
  columns: Object.entries(COLUMNS).map(([name, kind]) => ({ name, kind, sql: '', meaning: '' })),
}

const COUNT = 4_000
const BYTES_PER_GROUP = 20_000
const numbers = Array.from({ length: COUNT }, (_, number) => number)
const makerOf = (number: number) => (number % 7 === 0 ? null : `0x${number}`)
const rows = numbers.map(number => [makerOf(number), number % 2 === 0 ? 'é' : '', number - 9, number / 8, null] as const)

test('a file has the rows of all COPYs in their order, in groups whose bounds it names', async () => {
  const lines = rows.map(([maker, side, count, percent, none]) => `${JSON.stringify({ maker, side, count, percent, none })}\n`)
  // Chunks end anywhere, also between the bytes of a character.
  const ranges = [lines.slice(0, COUNT / 2), lines.slice(COUNT / 2)].map(part => {
    const bytes = Buffer.from(part.join(''))
    return Readable.from(
      Array.from({ length: 50 }, (_, index) => bytes.subarray((index * bytes.length) / 50, ((index + 1) * bytes.length) / 50)),
    )
  })
  const { buffer: file } = new Uint8Array(await buffer(parquetOf(view, {}, BYTES_PER_GROUP)(Readable.from(ranges))))
  const { row_groups: groups, num_rows } = parquetMetadata(file)
  expect([groups.length > 3, num_rows]).toEqual([true, BigInt(COUNT)])
  const boundsOf = (column: number) => groups.map(group => group.columns[column]?.meta_data?.statistics)
  expect([boundsOf(2).at(0)?.min_value, boundsOf(2).at(-1)?.max_value]).toEqual([-9n, BigInt(COUNT - 10)])
  expect([boundsOf(3).at(0)?.min_value, boundsOf(3).at(-1)?.max_value]).toEqual([-0, (COUNT - 1) / 8])
  expect([boundsOf(0)[0]?.max_value, boundsOf(4)[0]?.max_value]).toEqual([undefined, undefined])
  const compressors = { ZSTD: (bytes: Uint8Array) => new Uint8Array(zstdDecompressSync(bytes)) }
  const read = await parquetReadObjects({ file, compressors })
  expect(read).toEqual(rows.map(([maker, side, count, percent, none]) => ({ maker, side, count: BigInt(count), percent, none })))
})
