import type { ViewColumn } from './view.ts'

/* SQL of a column's value in views and in exports. */

/** The value in a view, in a type that SQL can compute with. */
export function viewForm({ kind, sql }: ViewColumn): string {
  switch (kind) {
    case 'bytes':
      return `'0x' || encode(${sql}, 'hex')`
    case 'decimal':
      return `trim_scale(${sql})`
    case 'time':
    case 'seconds':
      return `to_timestamp(${sql})`
    case 'timeMs':
      return `to_timestamp((${sql}) / 1000.0)`
    default:
      return sql
  }
}

const ISO = 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'

/** The value as REST shows it, in a type that PostgreSQL writes so in CSV and in JSON: what JSON has in quotes is a text. */
export function exportForm(column: ViewColumn): string {
  switch (column.kind) {
    case 'count':
    case 'seconds':
      return `(${column.sql})::bigint`
    case 'number':
      return `(${column.sql})::double precision`
    case 'decimal':
    case 'block':
      return `(${viewForm(column)})::text`
    case 'time':
    case 'timeMs':
      return `to_char(${viewForm(column)} at time zone 'UTC', '${ISO}')`
    default:
      return viewForm(column)
  }
}

export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
