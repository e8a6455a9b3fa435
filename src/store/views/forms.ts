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

/** The value as exports copy it: bytes, 64-bit integers (times in milliseconds), doubles, and all else as text. */
export function binaryForm(column: ViewColumn): string {
  switch (column.kind) {
    case 'count':
    case 'block':
    case 'seconds':
    case 'timeMs':
      return `(${column.sql})::bigint`
    case 'time':
      return `(${column.sql})::bigint * 1000`
    case 'number':
      return `(${column.sql})::double precision`
    case 'bytes':
    case 'text':
      return column.sql
    default:
      return `(${viewForm(column)})::text`
  }
}

export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
