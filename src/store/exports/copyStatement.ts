import { jsonLine, literal, textForm } from '#store/views/forms.ts'
import type { View } from '#store/views/view.ts'

/** Which rows. `from` and `to` are Unix seconds, inclusive. */
export interface ExportFilter {
  readonly token?: string | undefined
  readonly launchpad?: string | undefined
  readonly from?: number | undefined
  readonly to?: number | undefined
}

/** `text`: the columns of a row with tabs between them and `\N` for `null`, as PostgreSQL writes them. */
export type CopyFormat = 'csv' | 'ndjson' | 'text'

/**
 * The COPY that has the server write the rows of a view, in order. PostgreSQL makes the text, and may use several processes for it: that is
 * several times as fast as making it of JavaScript values.
 */
export function copyStatement(view: View, format: CopyFormat, filter: ExportFilter): string {
  const conditions = [...(view.where === undefined ? [] : [view.where]), ...conditionsOf(view, filter)]
  const where = conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`
  const select = `select ${selected(view, format)} from ${view.from} ${where} order by ${view.order}`
  return `copy (${select}) to stdout (${OPTIONS[format]})`
}

/** JSON has no control characters, so that nothing in a line is quoted. */
const OPTIONS: Readonly<Record<CopyFormat, string>> = {
  csv: 'format csv, header true',
  ndjson: `format csv, quote e'\\x01', delimiter e'\\x02'`,
  text: 'format text',
}

function selected(view: View, format: CopyFormat): string {
  return format === 'ndjson' ? jsonLine(view) : view.columns.map(column => `${textForm(column)} as "${column.name}"`).join(', ')
}

function conditionsOf({ filters }: View, { token, launchpad, from, to }: ExportFilter): readonly string[] {
  return [
    ...(token === undefined ? [] : [`${filters.token} = '\\x${token.slice(2)}'::bytea`]),
    ...(launchpad === undefined ? [] : [`${filters.launchpad} = ${literal(launchpad)}`]),
    ...(from === undefined ? [] : [`${filters.time} >= ${from}`]),
    ...(to === undefined ? [] : [`${filters.time} <= ${to}`]),
  ]
}
