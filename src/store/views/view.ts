import type { z } from 'zod'

/**
 * What a column holds, and so how it is written:
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
  /** Where REST has no such field: what it means. */
  readonly meaning?: string
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
  /** Nested objects of the REST item that are `null` under a condition in SQL: by their paths. */
  readonly absent?: Readonly<Record<string, string>>
  readonly from: string
  /** The condition of every row. Default: none. */
  readonly where?: string
  /** The order of exports. */
  readonly order: string
  /** The first column of the order, if an index has its values in order: exports read ranges of it. Default: they read all rows at once. */
  readonly leading?: LeadingColumn
  /** The item of REST, whose fields have the meanings. */
  readonly item: z.ZodObject
  /** SQL of what exports are narrowed by; `null`: they can't be. `time` is in Unix seconds. */
  readonly filters: { readonly token: string | null; readonly launchpad: string | null; readonly time: string | null }
  /** Columns of the view that indexes find: addresses as bytes. By name in the database. */
  readonly keys: Readonly<Record<string, string>>
}

/** SQL of an amount in wei, or in 10^-18 USD, in whole units. Exact, as a division would not be. */
export function wholeUnitsOf(sql: string): string {
  return `(${sql}) * 0.000000000000000001`
}

/** SQL of an integer amount in units of a currency with so many decimals. */
export function inUnits(sql: string, decimals: string): string {
  return `(${sql}) * ('1e-' || ${decimals})::numeric`
}

/**
 * SQL of a `numeric`, rounded to 20 significant digits as REST rounds products (`domain/decimal.ts`). The logarithm is that of doubles, at
 * a quarter of the cost of an exact one. It errs for numbers that 17 digits can't tell from a power of ten: these keep one digit more.
 * There is no sub-select, which would keep PostgreSQL from using several processes.
 */
export function significant(sql: string): string {
  return `case when (${sql}) = 0 then 0 else round((${sql}), 19 - floor(log(abs(${sql})::double precision))::integer) end`
}

/** The columns of one kind, as name and SQL. */
export function columnsOf(kind: ColumnKind, columns: Readonly<Record<string, string>>): readonly ViewColumn[] {
  return Object.entries(columns).map(([name, sql]) => ({ name, kind, sql }))
}

/** SQL of a pool's key as the API shows it: see `shownPool`. */
export function shownPoolSql(key: string): string {
  return `case when length(${key}) = 32 and substr(${key}, 1, 12) = '\\x000000000000000000000000' then substr(${key}, 13) else ${key} end`
}

/** SQL of a part of a token's supply in percent, to four decimals; `null` where there is no supply: see `percentOf`. */
export function percentOfSupply(amount: string): string {
  // "least" leaves out what is null.
  return `case when token.total_supply <> 0 and ${amount} is not null then least(100, div(${amount} * 1000000, token.total_supply)::double precision / 10000) end`
}
