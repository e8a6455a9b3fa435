import { type RawBuilder, sql } from 'kysely'
import type { Queryable } from '#store/connection/queryable.ts'

export interface AsOf<Row> {
  readonly rows: Row[]
  /** `null`: nothing is indexed yet. */
  readonly asOfBlock: string | null
}

type Listed<Row> = { readonly cursorNumber: number | null } & (({ readonly isListed: true } & Row) | { readonly isListed: null })

/** Runs a statement together with a read of the cursor, so that both see one snapshot of the database, even when there are no rows. */
export async function readAsOf<Row>(db: Queryable, statement: RawBuilder<Row>): Promise<AsOf<Row>> {
  const { rows } = await sql<Listed<Row>>`
    select state."cursorNumber", listed.* from (select (select cursor_number from chain_state) as "cursorNumber") as state
    left join lateral (select true as "isListed", found.* from (${statement}) as found) as listed on true`.execute(db)
  const cursor = rows[0]?.cursorNumber ?? null
  return { rows: rows.filter(row => row.isListed === true), asOfBlock: cursor === null ? null : String(cursor) }
}
