import { type RawBuilder, sql } from 'kysely'
import type { Queryable } from '#store/connection/queryable.ts'
import { arrayOf } from '#tables/binaryArray.ts'
import type { Column, Table } from '#tables/tableOf.ts'

/** The statements that write some rows. Each statement is built when the iteration comes to it. */
export type Statements = Iterable<RawBuilder<unknown>>

/** A statement of this many rows is built in milliseconds, and its fixed cost is small beside that of its rows. */
export const ROWS_PER_STATEMENT = 1_000

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
 * first store every column and then read it back. All text between two arrays is one part of the statement, since kysely compiles each part
 * every time that the statement runs.
 */
export function unnested(columns: readonly Column[], rows: readonly object[]): RawBuilder<unknown> {
  const arrays = columns.map(({ field, type }) => arrayOf(type.options.element, rows as readonly Record<string, unknown>[], field))
  // The sub-select is that of `parameter`.
  const before = 'unnest((select '
  const after = columns.map(({ name, type }) => `::${type.getColumnType()}[])) as "${name}"`)
  const texts = [before, ...after.map((text, index) => (index < after.length - 1 ? `${text}, ${before}` : text))]
  return sql(Object.assign(texts, { raw: texts }), ...arrays)
}

/** More than a live block has, and some ten megabytes of a backfill's statements. */
const MAX_UNDER_WAY = 32

/**
 * Runs statements in order, inside a transaction. They share round trips. After one that fails, all others fail.
 *
 * @throws what the first one that failed threw
 */
export async function runStatements(db: Queryable, statements: Statements): Promise<void> {
  const { answered } = await sendStatements(db, statements)
  await answered
}

/** As `runStatements`, but resolves when the last statement is sent: statements that are sent later run after all of these. */
export async function sendStatements(db: Queryable, statements: Statements): Promise<{ readonly answered: Promise<unknown> }> {
  const underWay: Promise<unknown>[] = []
  for (const statement of statements) {
    if (underWay.length === MAX_UNDER_WAY) await underWay.shift()
    const answer = statement.execute(db)
    answer.catch(() => undefined)
    underWay.push(answer)
  }
  const answered = Promise.all(underWay)
  answered.catch(() => undefined)
  return { answered }
}
