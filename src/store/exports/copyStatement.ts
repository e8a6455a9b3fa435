import { binaryForm, literal } from '#store/views/forms.ts'
import type { View } from '#store/views/view.ts'
import type { KeyRange } from './keyRanges.ts'

/** Selects rows of a view. `from` and `to` are Unix seconds, inclusive. */
export interface ExportFilter {
  readonly token?: string | undefined
  readonly launchpad?: string | undefined
  readonly from?: number | undefined
  readonly to?: number | undefined
}

/** The rows to export. */
export interface ExportedRows {
  readonly view: View
  readonly filter: ExportFilter
}

/**
 * The COPY statement that writes the rows of a range, in order, in the binary format. The fields of a row are the view's columns as
 * `binaryForm` writes them, and for each nested object whether it is `null`.
 */
export function copyStatement({ view, filter }: ExportedRows, { from, to }: KeyRange): string {
  const key = view.leading === undefined ? '' : `${view.leading.table}.${view.leading.column}`
  const conditions = [
    ...(view.where === undefined ? [] : [view.where]),
    ...conditionsOf(view, filter),
    ...(from === null ? [] : [`${key} >= ${from}`]),
    ...(to === null ? [] : [`${key} < ${to}`]),
  ]
  const where = conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`
  const fields = [...view.columns.map(binaryForm), ...Object.values(view.absent ?? {})]
  return `copy (select ${fields.join(', ')} from ${view.from} ${where} order by ${view.order}) to stdout (format binary)`
}

/** The number of fields of a row that `copyStatement` copies. */
export function fieldsPerRow({ columns, absent = {} }: View): number {
  return columns.length + Object.keys(absent).length
}

function conditionsOf({ filters }: View, { token, launchpad, from, to }: ExportFilter): readonly string[] {
  return [
    ...(token === undefined ? [] : [`${filters.token} = '\\x${token.slice(2)}'::bytea`]),
    ...(launchpad === undefined ? [] : [`${filters.launchpad} = ${literal(launchpad)}`]),
    ...(from === undefined ? [] : [`${filters.time} >= ${from}`]),
    ...(to === undefined ? [] : [`${filters.time} <= ${to}`]),
  ]
}
