import { type RawBuilder, sql } from 'kysely'
import type { Hex } from '#domain/address.ts'
import type { Decimal } from '#domain/decimal.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { arrayOf, BIGINT, BOOLEAN, BYTEA, DECIMAL, DOUBLE, INTEGER, NUMERIC, SMALLINT, TEXT } from './binaryArray.ts'

/** What fills a column of each type; `decimal` is a `numeric`, too. */
interface ColumnValues {
  readonly bytea: Hex
  readonly text: string
  readonly boolean: boolean
  readonly smallint: number
  readonly integer: number
  readonly bigint: number
  readonly 'double precision': number
  readonly numeric: bigint
  readonly decimal: Decimal
}

/** How one column is filled from a row: its type and the value. */
export type BatchColumn<Row> = {
  readonly [Type in keyof ColumnValues]: { readonly type: Type; value(row: Row): ColumnValues[Type] | null }
}[keyof ColumnValues]

export type BatchColumns<Row> = Readonly<Record<string, BatchColumn<Row>>>

/** The statements that write some rows, each made when it is asked for. */
export type Statements = Iterable<RawBuilder<unknown>>

/**
 * Rows per statement. So many that the statement's own cost is lost among them, so few that neither preparing one nor the server's array of it
 * is noticed: a commit of any size holds up the process for milliseconds at a time.
 */
const ROWS_PER_STATEMENT = 1_000

/**
 * Writes any number of rows with statements of constant text: a bind parameter per column, each an array, and all taken apart in step.
 * `onConflict` is the clause after the key, for instance `do update set …`. No two of the rows may have the same key.
 *
 * They are taken apart in the list of what is selected: as a table (`from unnest(…)`) the server would keep a copy of each column and read that.
 */
export function batchInsert<Row>(options: {
  readonly table: string
  readonly columns: BatchColumns<Row>
  readonly onConflict?: string
}): (rows: readonly Row[]) => Statements {
  const columns = Object.values(options.columns)
  const names = sql.join(Object.keys(options.columns).map(name => sql.id(name)))
  const conflict = sql.raw(options.onConflict ?? '')
  return function* statements(rows) {
    for (let at = 0; at < rows.length; at += ROWS_PER_STATEMENT) {
      const some = rows.slice(at, at + ROWS_PER_STATEMENT)
      const arrays = sql.join(
        columns.map(column => sql`unnest(${columnArray(column, some)}::${sql.raw(column.type === 'decimal' ? 'numeric' : column.type)}[])`),
      )
      yield sql`insert into ${sql.id(options.table)} (${names}) select ${arrays} ${conflict}`
    }
  }
}

/** Runs statements in order. While the server is busy with one, the next is made. */
export async function runStatements(db: Queryable, statements: Statements): Promise<void> {
  let running: Promise<unknown> = Promise.resolve()
  for (const statement of statements) {
    await running
    running = statement.execute(db)
  }
  await running
}

function columnArray<Row>(column: BatchColumn<Row>, rows: readonly Row[]): Buffer {
  switch (column.type) {
    case 'bytea':
      return arrayOf(BYTEA, rows, column.value)
    case 'text':
      return arrayOf(TEXT, rows, column.value)
    case 'boolean':
      return arrayOf(BOOLEAN, rows, column.value)
    case 'smallint':
      return arrayOf(SMALLINT, rows, column.value)
    case 'integer':
      return arrayOf(INTEGER, rows, column.value)
    case 'bigint':
      return arrayOf(BIGINT, rows, column.value)
    case 'double precision':
      return arrayOf(DOUBLE, rows, column.value)
    case 'numeric':
      return arrayOf(NUMERIC, rows, column.value)
    case 'decimal':
      return arrayOf(DECIMAL, rows, column.value)
  }
}

/** `do update` that takes every column from the new row. */
export function replaceAll(key: readonly string[], columns: BatchColumns<never>): string {
  const set = Object.keys(columns).filter(name => !key.includes(name))
  return `on conflict (${key.join(', ')}) do update set ${set.map(name => `${name} = excluded.${name}`).join(', ')}`
}
