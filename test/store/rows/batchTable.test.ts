import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { type BatchColumns, batchInsert, replaceAll, runStatements } from '#store/rows/batchTable.ts'
import { useDatabase } from '#test/support/database.ts'

const database = await useDatabase({ migrated: false })
await sql`create table sample (id integer primary key, text text, bytes bytea)`.execute(database.kysely)

interface Sample {
  readonly id: number
  readonly text: string | null
  readonly bytes: string | null
}

const COLUMNS: BatchColumns<Sample> = {
  id: { type: 'integer', value: row => row.id },
  text: { type: 'text', value: row => row.text },
  bytes: { type: 'bytea', value: row => (row.bytes === null ? null : `0x${row.bytes}`) },
}
const insert = batchInsert({ table: 'sample', columns: COLUMNS, onConflict: replaceAll(['id'], COLUMNS) })

const read = async () => {
  const { rows } = await sql<Sample>`select id, text, encode(bytes, 'hex') as bytes from sample order by id`.execute(database.kysely)
  return rows
}

describe('batches of rows', () => {
  it('come out as they went in, whatever their text holds', async () => {
    const texts = ['', 'NULL', 'null', '"', '\\', '\\"', '{a,b}', "it's", 'a\nb\tc', '\\x00', '  padded  ', '🜛 ünïcödé', null]
    const rows = texts.map((text, id) => ({ id, text, bytes: id % 2 === 0 ? null : 'deadbeef' }))
    await runStatements(database.kysely, insert(rows))
    expect(await read()).toEqual(rows)
  })

  it('are written whole by several statements, the last word of which counts', async () => {
    const rows = Array.from({ length: 2_345 }, (_, id) => ({ id, text: `first ${id}`, bytes: '' }))
    await runStatements(database.kysely, insert(rows))
    await runStatements(database.kysely, insert(rows.map(row => ({ ...row, text: `second ${row.id}` }))))
    const stored = await read()
    expect(stored).toHaveLength(2_345)
    expect(stored.every(({ id, text }) => text === `second ${id}`)).toBe(true)
  })

  it('stop at the first statement that fails', async () => {
    await expect(runStatements(database.kysely, [sql`select 1 / 0`, sql`truncate sample`])).rejects.toThrow('division by zero')
    expect(await read()).not.toEqual([])
  })
})
