import { exportForm, literal } from '#store/views/forms.ts'
import type { View, ViewColumn } from '#store/views/view.ts'
import type { KeyRange } from './keyRanges.ts'

/** Selects rows of a view. `from` and `to` are Unix seconds, inclusive. */
export interface ExportFilter {
  readonly token?: string | undefined
  readonly launchpad?: string | undefined
  readonly from?: number | undefined
  readonly to?: number | undefined
}

/** The rows to export, and what PostgreSQL writes: lines of CSV without a header, or an object of JSON in each line. */
export interface ExportedRows {
  readonly view: View
  readonly filter: ExportFilter
  readonly lines: 'csv' | 'json'
}

/** CSV of one column, with a separator and a quote that JSON never has as they are: the text is written unchanged. */
const BARE = String.raw`(format csv, delimiter e'\x02', quote e'\x01')`

/** The COPY statement that writes the rows of a range, in order. */
export function copyStatement({ view, filter, lines }: ExportedRows, { from, to }: KeyRange): string {
  const key = view.leading === undefined ? '' : `${view.leading.table}.${view.leading.column}`
  const conditions = [
    ...(view.where === undefined ? [] : [view.where]),
    ...conditionsOf(view, filter),
    ...(from === null ? [] : [`${key} >= ${from}`]),
    ...(to === null ? [] : [`${key} < ${to}`]),
  ]
  const where = conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`
  const fields = view.columns.map(column => `${exportForm(column)} as "${exportedName(column)}"`)
  const rows = `select ${fields.join(', ')} from ${view.from} ${where} order by ${view.order}`
  return lines === 'csv'
    ? `copy (${rows}) to stdout (format csv)`
    : `copy (select row_to_json(line) from (${rows}) as line) to stdout ${BARE}`
}

/** The column's name in files: `market_priceWeth` for `market.priceWeth`, since warehouses take no points, or for a path. */
export function exportedName({ name }: ViewColumn): string {
  return name.replaceAll('.', '_')
}

function conditionsOf({ filters }: View, { token, launchpad, from, to }: ExportFilter): readonly string[] {
  return [
    ...(token === undefined ? [] : [`${filters.token} = '\\x${token.slice(2)}'::bytea`]),
    ...(launchpad === undefined ? [] : [`${filters.launchpad} = ${literal(launchpad)}`]),
    ...(from === undefined ? [] : [`${filters.time} >= ${from}`]),
    ...(to === undefined ? [] : [`${filters.time} <= ${to}`]),
  ]
}
