import { type RawBuilder, sql } from 'kysely'
import type { Queryable } from './queryable.ts'

/** How one column is filled from a row: its PostgreSQL type and the value as the driver takes it inside an array of that type. */
export interface BatchColumn<Row> {
  readonly type: string
  value(row: Row): string | number | boolean | Buffer | null
}

export type BatchColumns<Row> = Readonly<Record<string, BatchColumn<Row>>>

/**
 * Writes any number of rows with one statement of constant text: a bind parameter per column, each an array, laid side by side by
 * `unnest`. `onConflict` is the clause after the key, for instance `do update set …`.
 */
export function batchInsert<Row>(options: {
  readonly table: string
  readonly columns: BatchColumns<Row>
  readonly onConflict?: string
}): (db: Queryable, rows: readonly Row[]) => Promise<void> {
  const entries = Object.entries(options.columns)
  const names = sql.join(entries.map(([name]) => sql.id(name)))
  const conflict = sql.raw(options.onConflict ?? '')
  return async (db, rows) => {
    if (rows.length === 0) return
    await sql`insert into ${sql.id(options.table)} (${names}) select * from unnest(${arrays(entries, rows)}) ${conflict}`.execute(db)
  }
}

function arrays<Row>(entries: readonly (readonly [string, BatchColumn<Row>])[], rows: readonly Row[]): RawBuilder<unknown> {
  return sql.join(entries.map(([, { type, value }]) => sql`${rows.map(value)}::${sql.raw(type)}[]`))
}

/** `do update` that takes every column from the new row. */
export function replaceAll(key: readonly string[], columns: BatchColumns<never>): string {
  const set = Object.keys(columns).filter(name => !key.includes(name))
  return `on conflict (${key.join(', ')}) do update set ${set.map(name => `${name} = excluded.${name}`).join(', ')}`
}
