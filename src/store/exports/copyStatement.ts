import { binaryForm, jsonLine, literal, textForm } from '#store/views/forms.ts'
import type { View } from '#store/views/view.ts'
import type { KeyRange } from './keyRanges.ts'

/** Which rows. `from` and `to` are Unix seconds, inclusive. */
export interface ExportFilter {
  readonly token?: string | undefined
  readonly launchpad?: string | undefined
  readonly from?: number | undefined
  readonly to?: number | undefined
}

/** `ndjson` and `columns` come in PostgreSQL's binary format, see `copiedFields`: of one field with a line of JSON, and of the columns. */
export type CopyFormat = 'csv' | 'ndjson' | 'columns'

/** What is copied. */
export interface ExportedRows {
  readonly view: View
  readonly format: CopyFormat
  readonly filter: ExportFilter
}

/**
 * The COPY that has the server write the rows of a range, in order. PostgreSQL makes the text: that is several times as fast as making it
 * of JavaScript values. The first range of CSV begins with the names of the columns.
 */
export function copyStatement({ view, format, filter }: ExportedRows, { from, to }: KeyRange): string {
  const key = view.leading === undefined ? '' : `${view.leading.table}.${view.leading.column}`
  const conditions = [
    ...(view.where === undefined ? [] : [view.where]),
    ...conditionsOf(view, filter),
    ...(from === null ? [] : [`${key} >= ${from}`]),
    ...(to === null ? [] : [`${key} < ${to}`]),
  ]
  const where = conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`
  const select = `select ${selected(view, format)} from ${view.from} ${where} order by ${view.order}`
  // The binary format writes fields as they are. CSV looks at each letter, which took a fourth of the time of JSON lines.
  return `copy (${select}) to stdout (${format === 'csv' ? `format csv, header ${String(from === null)}` : 'format binary'})`
}

function selected(view: View, format: CopyFormat): string {
  if (format === 'ndjson') return jsonLine(view)
  const form = format === 'csv' ? textForm : binaryForm
  return view.columns.map(column => `${form(column)} as "${column.name}"`).join(', ')
}

function conditionsOf({ filters }: View, { token, launchpad, from, to }: ExportFilter): readonly string[] {
  return [
    ...(token === undefined ? [] : [`${filters.token} = '\\x${token.slice(2)}'::bytea`]),
    ...(launchpad === undefined ? [] : [`${filters.launchpad} = ${literal(launchpad)}`]),
    ...(from === undefined ? [] : [`${filters.time} >= ${from}`]),
    ...(to === undefined ? [] : [`${filters.time} <= ${to}`]),
  ]
}
