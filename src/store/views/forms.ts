import type { ColumnKind, View, ViewColumn } from './view.ts'

/* A column as SQL in the forms in which it leaves the database. */

/** The value in a view: a type that SQL computes with. */
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

/** The value as text; `null` stays. */
export function textForm(column: ViewColumn): string {
  switch (column.kind) {
    case 'time':
      // Half as long as `to_char` takes. The format of the text is ISO 8601, because connections set that.
      return `translate((${viewForm(column)} at time zone 'UTC')::text, ' ', 'T') || '.000Z'`
    case 'timeMs':
      return `to_char(${viewForm(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
    case 'text':
    case 'bytes':
      return viewForm(column)
    case 'seconds':
      return `(${column.sql})::text`
    default:
      return `(${viewForm(column)})::text`
  }
}

/** The value as PostgreSQL's binary format is to have it: text, 64-bit integers (times in milliseconds) and doubles. */
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
    default:
      return textForm(column)
  }
}

/** The row as one line of JSON without its end: the item of REST, with its nested objects. */
export function jsonLine({ columns, absent = {} }: View): string {
  return formatted(jsonObject(columns, '', absent))
}

/** A part of a line: text in which each `%s` stands for the next of the values in SQL. */
interface Template {
  readonly text: string
  readonly values: readonly string[]
}

/** The object of the columns whose paths begin with `prefix`. */
function jsonObject(columns: readonly ViewColumn[], prefix: string, absent: Readonly<Record<string, string>>): readonly Template[] {
  const fields = Map.groupBy(columns, ({ name }) => name.slice(prefix.length).split('.')[0] ?? '')
  const parts = Array.from(fields, ([field, within], index): readonly Template[] => {
    const [first] = within
    const path = `${prefix}${field}`
    const value = first?.name === path ? [{ text: '%s', values: [jsonForm(first)] }] : jsonObject(within, `${path}.`, absent)
    return [{ text: `${index === 0 ? '{' : ','}"${field}":`, values: [] }, ...value]
  })
  const object = [...parts.flat(), { text: '}', values: [] }]
  const isAbsent = absent[prefix.slice(0, -1)]
  return isAbsent === undefined ? object : [{ text: '%s', values: [`case when ${isAbsent} then 'null' else ${formatted(object)} end`] }]
}

/** A function takes at most a hundred arguments. */
const MAX_VALUES = 90

/** As SQL. `format` takes a fifth less time than `concat`, which converts each constant text for each row. */
function formatted(parts: readonly Template[]): string {
  const values = parts.flatMap(part => part.values)
  if (values.length > MAX_VALUES) {
    const half = Math.ceil(parts.length / 2)
    return `${formatted(parts.slice(0, half))} || ${formatted(parts.slice(half))}`
  }
  return `format(${[literal(parts.map(({ text }) => text).join('')), ...values].join(', ')})`
}

/** Their text is JSON as it is. */
const IN_JSON: readonly ColumnKind[] = ['count', 'number', 'seconds', 'json']

function jsonForm(column: ViewColumn): string {
  const text = textForm(column)
  if (IN_JSON.includes(column.kind)) return `coalesce(${text}, 'null')`
  return column.kind === 'text' ? `coalesce(to_json(${text})::text, 'null')` : `coalesce('"' || ${text} || '"', 'null')`
}

export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
