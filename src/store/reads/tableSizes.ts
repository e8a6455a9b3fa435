import { sql } from 'kysely'
import type { Queryable } from '#store/connection/queryable.ts'

export interface TableSize {
  /** The table's name, with its schema if that is not the index's own. */
  readonly table: string
  /** The number of rows by PostgreSQL's statistics, which are not exact. */
  readonly rows: number
  /** The size of the rows, including values that are stored outside of the table's own pages. */
  readonly bytes: number
  readonly indexBytes: number
}

/** The tables of the index, the largest first; none before the first start. Takes milliseconds, whatever their size. */
export async function readTableSizes(db: Queryable): Promise<readonly TableSize[]> {
  const { rows } = await sql<TableSize>`
    select case when nspname = 'tokenwire_logs' then nspname || '.' else '' end || pg_class.relname as "table",
      coalesce(nullif(counted.n_live_tup, 0), greatest(pg_class.reltuples, 0))::bigint as rows,
      pg_table_size(pg_class.oid) as bytes, pg_indexes_size(pg_class.oid) as "indexBytes"
    from pg_class join pg_namespace as place on place.oid = relnamespace join pg_stat_all_tables as counted on counted.relid = pg_class.oid
      cross join (select relnamespace as own from pg_class where oid = to_regclass('chain_state')) as present
    where pg_class.relkind = 'r' and (place.oid = own or nspname = 'tokenwire_logs')
    order by pg_total_relation_size(pg_class.oid) desc, pg_class.relname`.execute(db)
  return rows
}
