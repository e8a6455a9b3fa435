import { type RawBuilder, sql } from 'kysely'
import { formatUnits, multiplyTexts } from '#domain/decimal.ts'
import { WETH_DECIMALS } from '#domain/prices.ts'
import type { FinalBlock } from '#resources/marketData.ts'
import type { Bounds } from '#resources/parameters.ts'
import type { Queryable } from '#store/connection/databaseSchema.ts'

export interface AsOf<Row> {
  readonly rows: Row[]
  /** `null`: nothing is indexed yet. */
  readonly asOfBlock: string | null
}

type Listed<Row> = { readonly cursorNumber: number | null } & (({ readonly isListed: true } & Row) | { readonly isListed: null })

/** Runs a statement together with a read of the cursor, so that both see one snapshot of the database, even when there are no rows. */
export async function readAsOf<Row>(db: Queryable, statement: RawBuilder<Row>): Promise<AsOf<Row>> {
  const { rows } = await sql<Listed<Row>>`
    select state."cursorNumber", listed.* from (select (select cursor_number from chain_state) as "cursorNumber") as state
    left join lateral (select true as "isListed", found.* from (${statement}) as found) as listed on true`.execute(db)
  const cursor = rows[0]?.cursorNumber ?? null
  return { rows: rows.filter(row => row.isListed === true), asOfBlock: cursor === null ? null : String(cursor) }
}

/** Splits off the row after a page, which is read to see whether there is a next page. `next`: the cursor of that page. */
export function pageOf<Row, Cursor>(
  rows: readonly Row[],
  limit: number,
  cursorOf: (last: Row) => Cursor,
): { readonly shown: readonly Row[]; readonly next: Cursor | null } {
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  return { shown, next: rows.length > limit && last !== undefined ? cursorOf(last) : null }
}

const ZERO = 0x30
const POINT = 0x2e

/** The type of a value's text: `null` for a value that is `null`. */
type Text<Value> = Value extends null ? null : string

/** A stored `numeric` without trailing zeros, as PostgreSQL's `trim_scale`. */
export function trimScale<Numeric extends string | null>(numeric: Numeric): Text<Numeric>
export function trimScale(numeric: string | null): string | null {
  // PostgreSQL prints neither exponents nor a sign on zero, which leaves the zeros at the end of a fraction.
  if (numeric === null || !numeric.includes('.')) return numeric
  // A regular expression would start again at every run of zeros, and a page of candles has thousands of numbers.
  let end = numeric.length
  while (numeric.charCodeAt(end - 1) === ZERO) end--
  if (numeric.charCodeAt(end - 1) === POINT) end--
  return numeric.slice(0, end)
}

/** A stored `numeric` of wei as a plain decimal string in WETH. */
export function weiToWeth<Wei extends string | null>(wei: Wei): Text<Wei>
export function weiToWeth(wei: string | null): string | null {
  if (wei === null) return null
  if (wei.startsWith('-')) return formatUnits(BigInt(wei), WETH_DECIMALS)
  const digits = wei.padStart(WETH_DECIMALS + 1, '0')
  return trimScale(`${digits.slice(0, -WETH_DECIMALS)}.${digits.slice(-WETH_DECIMALS)}`)
}

/** A price per 10^18 smallest units of a currency as one in whole units; `null`: the currency's decimals are not known. */
export function wholeUnits<Value extends string | null>(value: Value, decimals: number): Text<Value>
export function wholeUnits(value: string | null, decimals: number | null): string | null
export function wholeUnits(value: string | null, decimals: number | null): string | null {
  if (value === null || decimals === null) return null
  if (decimals === WETH_DECIMALS) return value
  const places = Math.abs(decimals - WETH_DECIMALS)
  return multiplyTexts(value, decimals < WETH_DECIMALS ? `1${'0'.repeat(places)}` : `0.${'0'.repeat(places - 1)}1`)
}

/** Unix seconds as ISO 8601 UTC with milliseconds. */
export function secondsToIso<Seconds extends number | null>(seconds: Seconds): Text<Seconds>
export function secondsToIso(seconds: number | null): string | null {
  return seconds === null ? null : new Date(seconds * 1000).toISOString()
}

/**
 * SQL of the number of the newest block that no reorg can replace: it has no before-images, and a deeper reorg stops indexing. The number
 * never falls while blocks are indexed.
 */
export const FINAL_BLOCK: RawBuilder<unknown> = sql`(select coalesce(undo_from - 1, cursor_number) from chain_state)`

/** The newest final block. `null`: no block is final. */
export async function readFinality(db: Queryable): Promise<FinalBlock | null> {
  const { rows } = await sql<FinalBlock>`select number, timestamp from block where number = ${FINAL_BLOCK}`.execute(db)
  return rows[0] ?? null
}

export interface BlockBounds {
  /** Inclusive. */
  readonly fromBlock?: number
  /** Inclusive. */
  readonly toBlock?: number
}

/**
 * Turns bounds in time into bounds in blocks, so that lists of trades need no index by time. Blocks' times ascend: a binary search over the
 * trades takes about 25 look-ups.
 */
export async function readBlockBounds(db: Queryable, { fromBlock, toBlock, from, to }: Bounds): Promise<BlockBounds> {
  const given = { ...(fromBlock === undefined ? {} : { fromBlock }), ...(toBlock === undefined ? {} : { toBlock }) }
  if (from === undefined && to === undefined) return given
  const { rows } = await sql<{ first: number | null; after: number | null }>`
    select ${firstBlockFrom(from ?? 0)} as first, ${firstBlockFrom(to === undefined ? Number.MAX_SAFE_INTEGER : to + 1)} as after`.execute(
    db,
  )
  const { first = null, after = null } = rows[0] ?? {}
  return {
    fromBlock: Math.max(fromBlock ?? 0, first ?? 0),
    toBlock: Math.min(toBlock ?? Number.MAX_SAFE_INTEGER, to === undefined || after === null ? Number.MAX_SAFE_INTEGER : after - 1),
  }
}

/** SQL of the block from which on no trade is earlier than a time. */
function firstBlockFrom(seconds: number) {
  return sql`(
    with recursive search (low, high) as (
      select min(block_number), max(block_number) + 1 from trade
      union all
      select case when found.timestamp >= ${seconds}::bigint then search.low else found.block_number + 1 end,
        case when found.timestamp >= ${seconds}::bigint then (search.low + search.high) / 2 else search.high end
      from search cross join lateral (
        select trade.block_number, trade.timestamp from trade where trade.block_number >= (search.low + search.high) / 2
        order by trade.block_number, trade.log_index limit 1
      ) as found
      where search.low < search.high
    )
    select low from search where low >= high
  )`
}
