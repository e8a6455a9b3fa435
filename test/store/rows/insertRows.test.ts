import { defineEntity } from '@mikro-orm/core'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { createTransaction } from '#store/connection/transaction.ts'
import { insertRows, runStatements, type Statements, selectList } from '#store/rows/insertRows.ts'
import { column, type RowOf, type StoredRow, tableOf } from '#tables/columns.ts'
import { useDatabase } from '#test/support/database.ts'

const database = await useDatabase({ migrated: false })
await sql`create table sample (id integer primary key, free_text text, bytes bytea)`.execute(database.kysely)

const properties = {
  id: column.integer().primary(),
  freeText: column.text().strictNullable(),
  bytes: column.hex().strictNullable(),
}
const SAMPLE = tableOf(defineEntity({ name: 'Sample', tableName: 'sample', properties }), properties)
type Sample = RowOf<typeof properties>

const transaction = createTransaction(database.orm)
const run = (statements: Statements) => transaction(db => runStatements(db, statements))
const insert = (rows: readonly Sample[]) => run(insertRows(SAMPLE, rows, SAMPLE.merge))

const read = async (): Promise<readonly Sample[]> => {
  const { rows } = await sql<StoredRow<Sample>>`select ${selectList(SAMPLE)} from sample order by id`.execute(database.kysely)
  return rows.map(SAMPLE.decode)
}

describe('inserted rows', () => {
  it('are read back as they were, whatever their text holds', async () => {
    const texts = ['', 'NULL', 'null', '"', '\\', '\\"', '{a,b}', "it's", 'a\nb\tc', '\\x00', '  padded  ', '🜛 ünïcödé', null]
    const rows = texts.map((freeText, id): Sample => ({ id, freeText, bytes: id % 2 === 0 ? null : '0xdeadbeef' }))
    await insert(rows)
    expect(await read()).toEqual(rows)
  })

  it('are written by several statements, and the last row of a key replaces those before', async () => {
    const rows = Array.from({ length: 2_345 }, (_, id): Sample => ({ id, freeText: `first ${id}`, bytes: '0x' }))
    await insert(rows)
    await insert(rows.map(row => ({ ...row, freeText: `second ${row.id}` })))
    const stored = await read()
    expect(stored).toHaveLength(2_345)
    expect(stored.every(({ id, freeText }) => freeText === `second ${id}`)).toBe(true)
  })

  it('fail where a row of their key is stored, without a conflict clause', async () => {
    const row: Sample = { id: 9_999, freeText: null, bytes: null }
    await run(insertRows(SAMPLE, [row]))
    await expect(run(insertRows(SAMPLE, [row]))).rejects.toThrow('duplicate key')
  })

  it('stop at the first statement that fails', async () => {
    await expect(run([sql`select 1 / 0`, sql`truncate sample`])).rejects.toThrow('division by zero')
    expect(await read()).not.toEqual([])
  })
})
