import { type RawBuilder, sql } from 'kysely'
import type { Queryable } from '#store/connection/queryable.ts'
import { arrayOf } from '#tables/binaryArray.ts'
import type { Column, Table } from '#tables/tableOf.ts'

/** The statements that write some rows. Each statement is built when the iteration comes to it. */
export type Statements = Iterable<RawBuilder<unknown>>

/** A statement of this size is built in milliseconds, and its fixed cost is small beside the cost of its rows. */
const ROWS_PER_STATEMENT = 1_000

/**
 * Inserts any number of rows by statements of constant text, with one array per column as parameters.
 *
 * @param onConflict a clause such as `table.merge`; without one, a stored row of the same key fails the statement. No two of the given rows
 * may have the same key
 */
export function* insertRows<Row extends object>(table: Table<Row>, rows: readonly NoInfer<Row>[], onConflict = ''): Statements {
  const { name, columns } = table
  const names = sql.join(columns.map(column => sql.id(column.name)))
  for (let at = 0; at < rows.length; at += ROWS_PER_STATEMENT) {
    const some = rows.slice(at, at + ROWS_PER_STATEMENT)
    yield sql`insert into ${sql.id(name)} (${names}) select ${unnested(columns, some)} ${sql.raw(onConflict)}`
  }
}

/**
 * `unnest` of an array per column, for a select list: there PostgreSQL unnests them in step. As a table (`from unnest(…, …)`) it would
 * first store every column and then read it back.
 */
export function unnested(columns: readonly Column[], rows: readonly object[]): RawBuilder<unknown> {
  const arrays = columns.map(({ name, field, type }) => {
    const values = arrayOf(type.options.element, rows as readonly Record<string, unknown>[], field)
    return sql`unnest(${values}::${sql.raw(type.getColumnType())}[]) as ${sql.id(name)}`
  })
  return sql.join(arrays)
}

/** Runs statements in order. While PostgreSQL runs one, the next is made. */
export async function runStatements(db: Queryable, statements: Statements): Promise<void> {
  let running: Promise<unknown> = Promise.resolve()
  for (const statement of statements) {
    await running
    running = statement.execute(db)
  }
  await running
}
