import { sql } from 'kysely'
import { LEADER_WINDOWS } from '#domain/windows.ts'
import type { Queryable } from '#store/connection/databaseSchema.ts'
import { moveLeaders } from '#store/rows/leaders.ts'
import { toBytes } from '#tables/columns.ts'
import { COLLECTOR } from './draws.ts'
import { BLOCK_SECONDS, END, FIRST_BLOCK, type GrowthScale, startOf } from './scale.ts'

/** All of them, since each batch writes the row of nearly every account again. */
const TRADES_AT_ONCE = 10_000_000
const DAY_SECONDS = 86_400
/** Above every log index of the generator. */
const FIRST_LOG_INDEX = 100_000_000

/**
 * Adds what follows from the generated tables, where it is missing: creations of pools, what graduations take out of curves, milestones, and
 * a collector, who bought once of every second token that is older than two days. Counts the leaders, as a job in the background does.
 */
export async function addBesideTrades(db: Queryable, scale: GrowthScale): Promise<void> {
  const { rows } = await sql<{ exists: boolean }>`select exists (select from pool_creation)`.execute(db)
  if (rows[0]?.exists !== true) await addEvents(db, scale)
  for (const window of LEADER_WINDOWS) while (await moveLeaders(db, window, TRADES_AT_ONCE));
  await sql`vacuum (analyze) leader`.execute(db)
}

async function addEvents(db: Queryable, scale: GrowthScale): Promise<void> {
  await sql`insert into currency (address, is_read) select distinct quote_token, true from pool on conflict do nothing`.execute(db)
  await addPlaces(db, scale)
  await addCollector(db)
  await sql`vacuum (analyze) currency, pool_creation, join_exit, milestone, trade, balance, trader`.execute(db)
}

async function addPlaces(db: Queryable, scale: GrowthScale): Promise<void> {
  const timeOf = (block: string) => sql.raw(`${startOf(scale)} + (${block} - ${FIRST_BLOCK}) * ${BLOCK_SECONDS}`)
  await sql`insert into pool_creation (pool, block_number, log_index, tx_hash, tx_index, timestamp)
    select pool.address, pool.created_block, 0, token.created_tx_hash, 0, ${timeOf('pool.created_block')}
    from pool join token on token.address = pool.token`.execute(db)
  await sql`insert into join_exit (block_number, log_index, pool, maker, amount_token, amount_quote, reserve_token, reserve_quote, tx_hash, tx_index, timestamp)
    select pool.created_block, 1, curve.address, token.creator, -1000000000000000000, -1000000000000000, 0, 0, token.graduation_tx_hash, 0, ${timeOf('pool.created_block')}
    from token join pool on pool.address = token.graduated_pool
    join pool as curve on curve.token = token.address and curve.address <> token.graduated_pool`.execute(db)
  const place = sql`row_number() over (partition by created_block)`
  await sql`insert into milestone (kind, block_number, log_index, token, status)
    select 'launch', created_block, ${place}, address, null from token
    union all
    select 'graduation', pool.created_block, row_number() over (partition by pool.created_block), token.address, 'migrated'
    from token join pool on pool.address = token.graduated_pool`.execute(db)
}

async function addCollector(db: Queryable): Promise<void> {
  const collector = toBytes(COLLECTOR)
  await sql`insert into trade select copied.* from (
      select address, row_number() over (order by address) as number from token where created_at < ${END - 2 * DAY_SECONDS} and last_trade_at is not null
    ) as chosen
    cross join lateral (
      select trade as whole from trade where trade.token = chosen.address and trade.timestamp < ${END - 2 * DAY_SECONDS} order by timestamp limit 1
    ) as first
    cross join lateral jsonb_populate_record(first.whole, jsonb_build_object('side', 'buy', 'maker', ${`\\x${collector.toString('hex')}`}::text,
      'log_index', ${FIRST_LOG_INDEX}::integer + chosen.number)) as copied
    where chosen.number % 2 = 0`.execute(db)
  await sql`insert into balance (token, holder, balance, type, last_changed_block, buys, sells, bought_token, sold_token, bought_wei, bought_usd,
      sold_wei, sold_usd, cost_wei, cost_usd, realized_wei, realized_usd, first_trade_at, last_buy_at)
    select token, maker, amount_token, 'wallet', block_number, 1, 0, amount_token, 0, amount_wei, null, 0, 0, amount_wei, null, 0, 0, timestamp, timestamp
    from trade where maker = ${collector}`.execute(db)
  await sql`insert into trader (maker, first_trade_at, last_trade_at, trades, volume_wei, tokens, realized_wei, realized_usd, tokens_without_wei, tokens_without_usd)
    select maker, min(timestamp), max(timestamp), count(*), coalesce(sum(amount_wei), 0), count(*), 0, 0, 0, 0 from trade where maker = ${collector} group by maker`.execute(
    db,
  )
}
