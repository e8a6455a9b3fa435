import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { createTableSizes } from '#gateway/health/readProcessMetrics.ts'
import { readTableSizes, type TableSize } from '#store/reads/chainStats.ts'
import { ENTITIES } from '#tables/entities.ts'
import { useDatabase } from '#test/support/database.ts'
import { insertRows } from '#test/support/rows.ts'

const SIZE: TableSize = { table: 'trade', rows: 1, bytes: 8_192, indexBytes: 8_192 }

it('shows the rows and bytes of every table, the largest first', async () => {
  const { kysely } = await useDatabase()
  const rows = Array.from({ length: 5_000 }, (_, n) => ({ holder: `0x${n.toString(16).padStart(40, '0')}`, contract: false }))
  await insertRows(kysely, 'holder_code', rows)
  await sql`analyze holder_code`.execute(kysely)

  const sizes = await readTableSizes(kysely)
  expect(sizes.map(({ table }) => table)).toEqual(expect.arrayContaining(ENTITIES.map(({ meta }) => meta.tableName)))
  expect(sizes[0]).toMatchObject({ table: 'holder_code', rows: 5_000 })
  const totals = sizes.map(({ bytes, indexBytes }) => bytes + indexBytes)
  expect(totals).toEqual(totals.toSorted((a, b) => b - a))
  expect(sizes[0]?.bytes).toBeGreaterThan(5_000 * 20)
})

it('reads sizes once a minute, keeps the last ones while the database fails, and shares a reading that is under way', async () => {
  let nowMs = 0
  const answers: (() => Promise<readonly TableSize[]>)[] = [
    async () => [SIZE],
    async () => Promise.reject(new Error('the database is away')),
    async () => [{ ...SIZE, rows: 2 }],
  ]
  const sizes = createTableSizes(
    () => answers.shift()?.() ?? Promise.reject(new Error('read once more')),
    () => nowMs,
  )
  expect(await Promise.all([sizes(), sizes()])).toEqual([[SIZE], [SIZE]])
  nowMs = 59_000
  expect(await sizes()).toEqual([SIZE])
  nowMs = 61_000
  expect(await sizes()).toEqual([SIZE])
  expect(await sizes()).toEqual([{ ...SIZE, rows: 2 }])
})
