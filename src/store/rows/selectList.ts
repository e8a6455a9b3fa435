import { type RawBuilder, sql } from 'kysely'
import type { Column, Table } from '#tables/tableOf.ts'

/** A row whose fields have a prefix (`pool.address`), so that it can be joined with a row of another table. */
export type Prefixed<Prefix extends string, Row> = { readonly [Field in keyof Row & string as `${Prefix}.${Field}`]: Row[Field] }

type Columns = Pick<Table<never>, 'name' | 'columns'>

/** The columns of a table, except some of its fields. */
export function without<Row>({ name, columns }: Table<Row>, fields: readonly (keyof Row & string)[]): Columns {
  const names: readonly string[] = fields
  return { name, columns: columns.filter(({ field }) => !names.includes(field)) }
}

/**
 * A select list of the columns of a table named `alias`, as the fields of a `StoredRow`, or of a `Prefixed` one. It is one text, since
 * kysely compiles each part of a statement every time that it runs, and a token has a hundred columns.
 */
export function selectList({ name, columns }: Columns, alias = name, prefix?: string): RawBuilder<unknown> {
  const named = (field: string) => (prefix === undefined ? field : `${prefix}.${field}`)
  return sql.raw(columns.map(column => `"${alias}"."${column.name}" as "${named(column.field)}"`).join(', '))
}

/** The columns of a table as one JSON array. `bytea` and `numeric` become text, as the driver returns them. */
export function jsonColumns({ name: table, columns }: Columns): RawBuilder<unknown> {
  return sql`json_build_array(${sql.join(columns.map(column => jsonColumn(table, column)))})`
}

function jsonColumn(table: string, { name, type }: Column): RawBuilder<unknown> {
  const value = sql.ref(`${table}.${name}`)
  switch (type.options.postgresType) {
    case 'bytea':
      return sql`'0x' || encode(${value}, 'hex')`
    case 'numeric':
      return sql`${value}::text`
    default:
      return value
  }
}

/** The fields of a JSON array of `jsonColumns`, named as by `selectList` with a prefix. */
export function fromJsonColumns({ columns }: Pick<Table<never>, 'columns'>, values: readonly unknown[], prefix: string): unknown {
  return Object.fromEntries(columns.map(({ field }, index) => [`${prefix}.${field}`, values[index]]))
}
