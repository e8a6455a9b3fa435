import { type RawBuilder, sql } from 'kysely'

/**
 * Joins one row of a table, found by its key, to each row before it in the statement.
 *
 * `offset 0` makes PostgreSQL look each row up in the key's index. A plain join may be planned as a scan of the whole table, since the
 * planner does not know how few rows come before.
 *
 * @param key the condition on all columns of the key, in terms of the table's own name
 * @param as the name in the statement
 */
export function lookUp(table: string, key: RawBuilder<unknown>, as = table): RawBuilder<unknown> {
  return sql`cross join lateral ${found(table, key)} as ${sql.table(as)}`
}

/** As `lookUp`, but where there is no such row, its columns are `null`. */
export function lookUpIfAny(table: string, key: RawBuilder<unknown>, as = table): RawBuilder<unknown> {
  return sql`left join lateral ${found(table, key)} as ${sql.table(as)} on true`
}

function found(table: string, key: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(select * from ${sql.table(table)} where ${key} offset 0)`
}
