import { type RawBuilder, sql } from 'kysely'
import { LEADER_WINDOW_SECONDS, type LeaderWindow } from '#domain/windows.ts'
import type { Queryable } from '#store/connection/databaseSchema.ts'
import { readBlockBounds, readFinality } from '#store/reads/page.ts'
import { LEADER } from '#tables/leader.ts'
import { lookUp } from './insertRows.ts'

/** About how many trades one transaction counts, which takes half a second or less. */
const TRADES_AT_ONCE = 5_000
/** Comes before the first block. */
const NO_BLOCK = -1

interface CountedBlocks {
  readonly afterBlock: number
  readonly toBlock: number
}

/**
 * Moves a window of leaders towards the newest final block, inside the caller's transaction: adds the trades that have entered the window,
 * and subtracts those that have left it. Only final blocks are counted, so that no reorg changes the counts. The lock is on the window's
 * own row: commits do not wait for it.
 *
 * @param most about how many trades are added
 * @returns whether there is more to count
 */
export async function moveLeaders(db: Queryable, window: LeaderWindow, most = TRADES_AT_ONCE): Promise<boolean> {
  const counted = await lockWindow(db, window)
  const final = await readFinality(db)
  if (counted === null || final === null) return false
  const left = await readLeftBlock(db, window, final)
  // When all counted trades have left the window, counting begins again at the window's start.
  const from = counted.toBlock < left ? { afterBlock: left, toBlock: left } : counted
  if (from !== counted) await sql`delete from leader where period = ${window}`.execute(db)
  const to = (await blockAfterTrades(db, from.toBlock, final.number, most)) ?? final
  const next = {
    afterBlock: Math.max(from.afterBlock, Math.min(await readLeftBlock(db, window, to), from.toBlock)),
    toBlock: Math.max(from.toBlock, to.number),
  }
  await countTrades(db, window, from, next)
  await sql`update leader_window set after_block = ${next.afterBlock}, to_block = ${next.toBlock} where period = ${window}`.execute(db)
  return next.toBlock < final.number
}

/** The newest block whose trades have left the window by the time of this block. */
export async function readLeftBlock(
  db: Queryable,
  window: LeaderWindow,
  { number, timestamp }: { readonly number: number; readonly timestamp: number },
): Promise<number> {
  const seconds = LEADER_WINDOW_SECONDS[window]
  if (seconds === null) return NO_BLOCK
  return Math.min((await readBlockBounds(db, { to: timestamp - seconds })).toBlock ?? NO_BLOCK, number)
}

/** Deletes all counts, since the trades of final blocks have changed. Runs inside the caller's transaction. */
export async function forgetLeaders(db: Queryable): Promise<void> {
  await sql`delete from leader_window`.execute(db)
  await sql`delete from leader`.execute(db)
}

/** Locks the window's row. `null`: `forgetLeaders` has just deleted it. */
async function lockWindow(db: Queryable, window: LeaderWindow): Promise<CountedBlocks | null> {
  await sql`insert into leader_window (period, after_block, to_block) values (${window}, ${NO_BLOCK}, ${NO_BLOCK}) on conflict do nothing`.execute(
    db,
  )
  const { rows } = await sql<CountedBlocks>`
    select after_block as "afterBlock", to_block as "toBlock" from leader_window where period = ${window} for update`.execute(db)
  return rows[0] ?? null
}

/** The block of the n-th trade after a block; `null`: there are fewer trades up to `end`. */
async function blockAfterTrades(db: Queryable, after: number, end: number, trades: number) {
  const { rows } = await sql<{ readonly number: number; readonly timestamp: number }>`
    select block_number as number, timestamp from trade where block_number > ${after} and block_number <= ${end}
    order by block_number, log_index offset ${trades - 1} limit 1`.execute(db)
  return rows[0] ?? null
}

async function countTrades(db: Queryable, window: LeaderWindow, was: CountedBlocks, is: CountedBlocks): Promise<void> {
  const columns = sql.raw(LEADER.columns.map(({ name }) => name).join(', '))
  // The conflict clause finds each account's row. Before the first `analyze`, a join may use another index and read all accounts for each.
  const { rows } = await sql<{ readonly place: string }>`
    with moved as (${tradesIn(sql`${was.toBlock}`, sql`${is.toBlock}`, 1)} union all ${tradesIn(sql`${was.afterBlock}`, sql`${is.afterBlock}`, -1)}),
      written as (
        insert into leader (${columns})
        select ${window}::text as period, coalesce(launchpad, '') as launchpad, maker, ${SUMS}
        from (${VALUED}) as valued group by grouping sets ((maker), (maker, launchpad))
        ${sql.raw(LEADER.merge)} returning ctid::text as place, buys + sells as trades
      )
    select place from written where trades = 0`.execute(db)
  const left = rows.map(({ place }) => place)
  if (left.length > 0) await sql`delete from leader where ctid = any(${left}::tid[])`.execute(db)
}

/** The trades after a block, up to and with another one. @param times 1 adds them to a sum, -1 subtracts them */
export function tradesIn(after: RawBuilder<unknown>, to: RawBuilder<unknown>, times: 1 | -1): RawBuilder<unknown> {
  return sql`select token, maker, side, amount_wei, value_usd, eth_usd, realized_wei, realized_usd, timestamp, ${sql.lit(times)} as times
    from trade where block_number > (${after})::bigint and block_number <= (${to})::bigint`
}

function sumOf(value: RawBuilder<unknown>, where: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`coalesce(sum(${value} * times) filter (where ${where}), 0)`
}

/** The value of a trade from `tradesIn` in units of 10^-18 USD. */
export const AMOUNT_USD = sql`coalesce(trunc(value_usd * 1e18), trunc(amount_wei * eth_usd)) as amount_usd`

/** The trades of `moved`, which `tradesIn` selects, with their launchpads and values in USD. */
const VALUED = sql`select moved.*, token.launchpad, ${AMOUNT_USD} from moved ${lookUp('token', sql`token.address = moved.token`)}`

/** The columns that a group of trades from `tradesIn` with `AMOUNT_USD` adds to a row of `leader`: all but its key. */
export const SUMS = sql`
  ${sumOf(sql`1`, sql`side = 'buy'`)}::integer as buys, ${sumOf(sql`1`, sql`side = 'sell'`)}::integer as sells,
  ${sumOf(sql`amount_wei`, sql`side = 'buy'`)} as bought_wei, ${sumOf(sql`amount_usd`, sql`side = 'buy'`)} as bought_usd,
  ${sumOf(sql`amount_wei`, sql`side = 'sell'`)} as sold_wei, ${sumOf(sql`amount_usd`, sql`side = 'sell'`)} as sold_usd,
  ${sumOf(sql`realized_wei`, sql`side = 'sell'`)} as realized_wei, ${sumOf(sql`realized_usd`, sql`side = 'sell'`)} as realized_usd,
  ${sumOf(sql`1`, sql`amount_wei is null`)}::integer as trades_without_wei,
  ${sumOf(sql`1`, sql`amount_usd is null`)}::integer as trades_without_usd,
  ${sumOf(sql`1`, sql`side = 'sell' and realized_wei is null`)}::integer as sales_without_wei,
  ${sumOf(sql`1`, sql`side = 'sell' and realized_usd is null`)}::integer as sales_without_usd,
  max(timestamp) as last_trade_at`
