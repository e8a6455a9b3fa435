import { type RawBuilder, sql } from 'kysely'
import type { Table } from '#tables/tableOf.ts'

/** Rows whose fields are named `pool.address` and so on, to stand beside those of another table. */
export type Prefixed<Prefix extends string, Row> = { readonly [Field in keyof Row & string as `${Prefix}.${Field}`]: Row[Field] }

/** A select list of the columns of a table named `alias`, as the fields of a `StoredRow`, or of a `Prefixed` one. */
export function selectList({ name, columns }: Pick<Table<never>, 'name' | 'columns'>, alias = name, prefix?: string): RawBuilder<unknown> {
  const named = (field: string) => sql.id(prefix === undefined ? field : `${prefix}.${field}`)
  return sql.join(columns.map(column => sql`${sql.ref(`${alias}.${column.name}`)} as ${named(column.field)}`))
}
