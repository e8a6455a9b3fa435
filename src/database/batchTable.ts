import { type RawBuilder, sql } from 'kysely'
import type { Queryable } from './queryable.ts'

/** How one column is filled from a row: its PostgreSQL type and the value. */
export interface BatchColumn<Row> {
  readonly type: string
  /** As PostgreSQL reads and prints values of that type; `null`: no value. */
  value(row: Row): string | null
  /** Makes the value an element of an array literal. Left out: nothing in it means anything there. */
  readonly escape?: (value: string) => string
}

export type BatchColumns<Row> = Readonly<Record<string, BatchColumn<Row>>>

/** The statements that write some rows, each made when it is asked for. */
export type Statements = Iterable<RawBuilder<unknown>>

/**
 * Rows per statement. So many that the statement's own cost is lost among them, so few that neither preparing one nor the server's array of it
 * is noticed: a commit of any size holds up the process for milliseconds at a time.
 */
const ROWS_PER_STATEMENT = 1_000

/**
 * Writes any number of rows with statements of constant text: a bind parameter per column, each an array, laid side by side by `unnest`.
 * `onConflict` is the clause after the key, for instance `do update set …`. No two of the rows may have the same key.
 *
 * The arrays are written out here and not by the driver, which knows neither that numbers need no escaping nor that a `bytea` is hex
 * already: a third of a commit's time.
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
      const arrays = sql.join(columns.map(column => sql`${arrayLiteral(column, some)}::${sql.raw(column.type)}[]`))
      yield sql`insert into ${sql.id(options.table)} (${names}) select * from unnest(${arrays}) ${conflict}`
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

/** Any text as an element of an array literal. */
export function quoted(text: string): string {
  return `"${text.replaceAll('\\', String.raw`\\`).replaceAll('"', String.raw`\"`)}"`
}

function arrayLiteral<Row>(column: BatchColumn<Row>, rows: readonly Row[]): string {
  const { escape = unchanged } = column
  let literal = '{'
  for (const row of rows) {
    if (literal !== '{') literal += ','
    const value = column.value(row)
    literal += value === null ? 'NULL' : escape(value)
  }
  return `${literal}}`
}

function unchanged(value: string): string {
  return value
}

/** `do update` that takes every column from the new row. */
export function replaceAll(key: readonly string[], columns: BatchColumns<never>): string {
  const set = Object.keys(columns).filter(name => !key.includes(name))
  return `on conflict (${key.join(', ')}) do update set ${set.map(name => `${name} = excluded.${name}`).join(', ')}`
}
