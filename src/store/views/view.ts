import { z } from 'zod'
import { decimalText, integerText, timeText } from '#resources/values.ts'
import { columnName } from '#tables/columns.ts'

/**
 * The kind of a column's values, and how they are written:
 *
 * - `text`, `count`, `number`: as they are.
 * - `bytes`: addresses and hashes, as lower-case hex with `0x`.
 * - `decimal`: a `numeric`, without trailing zeros. `block`: a block's number. Both are strings in JSON, as in REST.
 * - `json`: a list or an object, as it is in JSON.
 * - `time`: Unix seconds, and `timeMs` milliseconds, as a timestamp; `seconds`: Unix seconds, a number in JSON as in REST.
 */
export type ColumnKind = 'text' | 'count' | 'number' | 'bytes' | 'decimal' | 'block' | 'time' | 'timeMs' | 'seconds' | 'json'

export interface ViewColumn {
  /** The path of the field in the REST item: `market.priceWeth`. */
  readonly name: string
  readonly kind: ColumnKind
  /** SQL of the value, over the tables of `from`. */
  readonly sql: string
  readonly meaning: string
}

export interface LeadingColumn {
  readonly table: string
  readonly column: string
  readonly holds: 'block' | 'address'
}

/** Rows as the API shows them, described once for the views of `npm run db:views` and for `npm run export`. */
export interface View {
  readonly name: string
  readonly meaning: string
  readonly columns: readonly ViewColumn[]
  readonly from: string
  /** The condition of every row. Default: none. */
  readonly where?: string
  /** The order of exports. */
  readonly order: string
  /** The first column of the order, if it is indexed: exports read ranges of it. Default: exports read all rows at once. */
  readonly leading?: LeadingColumn
  /** SQL of the values that exports filter by; `null`: there is no such filter. `time` is in Unix seconds. */
  readonly filters: { readonly token: string | null; readonly launchpad: string | null; readonly time: string | null }
  /** Additional columns that indexes find, which are addresses as bytes: SQL by name. */
  readonly keys: Readonly<Record<string, string>>
}

/** SQL of an amount in wei, or in 10^-18 USD, in whole units. A multiplication is exact; a division would not be. */
export function wholeUnitsOf(sql: string): string {
  return `(${sql}) * 0.000000000000000001`
}

/** SQL of an integer amount in whole units of a currency. @param decimals SQL of the currency's decimals */
export function inUnits(sql: string, decimals: string): string {
  return `(${sql}) * ('1e-' || ${decimals})::numeric`
}

/**
 * SQL of a `numeric`, rounded to 20 significant digits as REST rounds products (`domain/decimal.ts`). The logarithm of a double costs a
 * quarter of an exact one. It errs only for numbers that 17 digits can't tell from a power of ten: these keep one digit more. A sub-select
 * would keep PostgreSQL from using several processes.
 */
export function significant(sql: string): string {
  return `case when (${sql}) = 0 then 0 else round((${sql}), 19 - floor(log(abs(${sql})::double precision))::integer) end`
}

/**
 * The columns of a REST item, in its order: each field is the column of its name, of the kind and with the meaning that its schema says.
 *
 * @param table the table of all columns, or of those of an object within the item
 * @param others by path, the SQL of a field that is not so, or what else differs; `null`: there is no column
 */
export function columnsOf(
  item: z.ZodType,
  table: string | Readonly<Record<string, string>>,
  others: Readonly<Record<string, string | Partial<ViewColumn> | null>>,
): readonly ViewColumn[] {
  return fieldsOf(item, [], '').flatMap(({ path, schema, meaning }): readonly ViewColumn[] => {
    const name = path.join('.')
    const other = others[name]
    if (other === null) return []
    const place = typeof table === 'string' ? table : (table[path.slice(0, -1).join('.')] ?? table[''])
    const sql = `${place}.${columnName(path.at(-1) ?? '')}`
    return [{ name, kind: kindOf(name, schema), sql, meaning, ...(typeof other === 'string' ? { sql: other } : other) }]
  })
}

interface ItemField {
  readonly path: readonly string[]
  readonly schema: z.ZodType
  /** Its description, or else that of the nearest object around it. */
  readonly meaning: string
}

function fieldsOf(schema: z.ZodType, path: readonly string[], around: string): readonly ItemField[] {
  const meaning = schema.description ?? around
  if (schema instanceof z.ZodNullable) return fieldsOf(schema.unwrap() as z.ZodType, path, meaning)
  if (!(schema instanceof z.ZodObject)) return [{ path, schema, meaning }]
  return Object.entries(schema.shape).flatMap(([field, below]) => fieldsOf(below as z.ZodType, [...path, field], meaning))
}

const KIND_BY_PATTERN = new Map([
  [patternOf(integerText), 'decimal'],
  [patternOf(decimalText), 'decimal'],
  [patternOf(timeText), 'time'],
] as const)

function patternOf(schema: z.core.$ZodType): string {
  return z.toJSONSchema(schema).pattern ?? ''
}

function kindOf(name: string, schema: z.core.$ZodType): ColumnKind {
  const { type, pattern = '' } = z.toJSONSchema(schema)
  if (type === 'integer') return 'count'
  if (type === 'number') return 'number'
  if (type === 'array') return 'json'
  if (pattern.startsWith('^0x')) return 'bytes'
  return /block(?:Number)?$/i.test(name) ? 'block' : (KIND_BY_PATTERN.get(pattern) ?? 'text')
}

/** SQL of a pool's key as the API shows it: see `shownPool`. */
export function shownPoolSql(key: string): string {
  return `case when length(${key}) = 32 and substr(${key}, 1, 12) = '\\x000000000000000000000000' then substr(${key}, 13) else ${key} end`
}

/** SQL of a part of a token's supply in percent, to four decimals; `null` where there is no supply: see `percentOf`. */
export function percentOfSupply(amount: string): string {
  // "least" ignores nulls, so a null amount is tested for.
  return `case when token.total_supply <> 0 and ${amount} is not null then least(100, div(${amount} * 1000000, token.total_supply)::double precision / 10000) end`
}

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
