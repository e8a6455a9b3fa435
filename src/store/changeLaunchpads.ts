import { type RawBuilder, sql } from 'kysely'
import type { LaunchpadConfig, PeggedCurrency } from '#config'
import type { Address } from '#domain/address.ts'
import { WINDOW_SECONDS } from '#domain/windows.ts'
import { CANDLE } from '#tables/candle.ts'
import { BLOCK_TABLES } from '#tables/entities.ts'
import type { Queryable } from './connection/databaseSchema.ts'
import { stampQuotedIn } from './rows/currencies.ts'
import { foldAllMinutes, wholeCandlesIn } from './rows/foldMinutes.ts'
import { runStatements } from './rows/insertRows.ts'
import { forgetLeaders } from './rows/leaders.ts'
import { writeListInForce } from './rows/listInForce.ts'
import { attachMetadata } from './rows/metadata.ts'
import { keepSequences } from './rows/undo.ts'

/** A change of the launchpads that an index follows. */
export interface LaunchpadsChange {
  /** The launchpads whose rows are removed. */
  readonly leaving: readonly string[]
  /** The side index whose rows of these launchpads are taken over. Its cursor must be at the same block. `null`: none join. */
  readonly joining: { readonly schema: string; readonly names: readonly string[] } | null
  /** The launchpads after the change. */
  readonly launchpads: readonly LaunchpadConfig[]
  readonly pegUsd: readonly PeggedCurrency[]
}

export interface ChangedTokens {
  readonly changed: readonly Address[]
  /** The tokens that are no longer in the index. */
  readonly dropped: readonly Address[]
}

/**
 * Copies the joining launchpads' rows ahead of `changeLaunchpads`, unless launchpads leave too. No commit writes these rows, so the index
 * goes on meanwhile. Readers see them when the caller's transaction ends.
 */
export async function copyAhead(db: Queryable, { leaving, joining }: LaunchpadsChange): Promise<void> {
  if (joining !== null && leaving.length === 0) await copyRows(db, joining)
}

/**
 * Changes the tables to those of an index that has followed the new launchpads from the start. Runs inside the caller's transaction, after
 * `copyAhead`. Deletes all before-images, so that no block up to the cursor can be undone.
 */
export async function changeLaunchpads(db: Queryable, change: LaunchpadsChange, committedAtMs: number): Promise<ChangedTokens> {
  const { leaving, joining } = change
  await sql`delete from block_undo`.execute(db)
  // The side index's longer candles already include these minutes.
  const isOurs =
    joining === null ? sql`true` : sql`not exists (select from ${sql.id(joining.schema, 'token')} as taken where address = minute.token)`
  await runStatements(db, foldAllMinutes(isOurs))
  await sql`create temporary table moved_maker (maker bytea primary key) on commit drop`.execute(db)
  const removed = leaving.length === 0 ? [] : await removeRows(db, leaving, committedAtMs)
  if (joining !== null && leaving.length > 0) await copyRows(db, joining)
  const joined = joining === null ? [] : await takeRows(db, joining, committedAtMs)
  await countMakers(db)
  await forgetLeaders(db)
  await countTotals(db)
  const quoted = await stampQuotedIn(db, [...removed, ...joined], committedAtMs, joined)
  await writeListInForce(db, change, joining?.names ?? [])
  const present = new Set(joined)
  return { changed: [...joined, ...quoted], dropped: removed.filter(token => !present.has(token)) }
}

async function removeRows(db: Queryable, names: readonly string[], committedAtMs: number): Promise<readonly Address[]> {
  const isLeaving = (table: string) => sql`${sql.ref(`${table}.launchpad`)} = any(${[...names]}::text[])`
  const gone = await keepSequences(db, isLeaving('token'), committedAtMs)
  await sql`insert into moved_maker
    select distinct maker from trade join token on token.address = trade.token where ${isLeaving('token')}`.execute(db)
  const removeBy = async (name: string, owner: 'token' | 'pool') => {
    const isOwner = sql`${sql.ref(`${owner}.address`)} = ${sql.ref(`${name}.${owner}`)}`
    await sql`delete from ${sql.table(name)} using ${sql.table(owner)} where ${isOwner} and ${isLeaving(owner)}`.execute(db)
  }
  // Rows name their launchpad, or else their token or pool, which goes last.
  for (const { name, leavesBy } of BLOCK_TABLES) if (leavesBy === 'token' || leavesBy === 'pool') await removeBy(name, leavesBy)
  for (const { name, leavesBy } of BLOCK_TABLES) {
    if (leavesBy === 'launchpad') await sql`delete from ${sql.table(name)} where ${isLeaving(name)}`.execute(db)
  }
  return gone
}

/** Computes the totals of the makers in `moved_maker` again, from all of their trades. */
async function countMakers(db: Queryable): Promise<void> {
  await sql`delete from trader using moved_maker where trader.maker = moved_maker.maker`.execute(db)
  await sql`
    insert into trader (maker, first_trade_at, last_trade_at, trades, volume_wei, tokens, realized_wei, realized_usd, tokens_without_wei,
      tokens_without_usd)
    select maker, traded.first_trade_at, traded.last_trade_at, traded.trades, traded.volume_wei, held.tokens, held.realized_wei,
      held.realized_usd, held.tokens_without_wei, held.tokens_without_usd
    from moved_maker
    cross join lateral (
      select min(timestamp) as first_trade_at, max(timestamp) as last_trade_at, count(*) as trades, coalesce(sum(amount_wei), 0) as volume_wei
      from trade where trade.maker = moved_maker.maker
    ) as traded
    cross join lateral (
      select count(*) as tokens, coalesce(sum(realized_wei), 0) as realized_wei, coalesce(sum(realized_usd), 0) as realized_usd,
        count(*) filter (where realized_wei is null) as tokens_without_wei, count(*) filter (where realized_usd is null) as tokens_without_usd
      from balance where balance.holder = moved_maker.maker and first_trade_at is not null
    ) as held
    where traded.trades > 0`.execute(db)
}

const CANDLE_COLUMNS = sql.join(CANDLE.columns.map(({ name }) => sql.id(name)))

type Joining = NonNullable<LaunchpadsChange['joining']>

async function takeFrom(db: Queryable, schema: string, table: string, rest: RawBuilder<unknown>): Promise<void> {
  const columns = sql.join((await writtenColumns(db, table)).map(column => sql.ref(column)))
  await sql`insert into ${sql.table(table)} (${columns}) select ${columns} from ${sql.id(schema, table)} as taken ${rest}`.execute(db)
}

/** Copies the rows of the side index's tokens, and of the pools of `names`. */
async function copyRows(db: Queryable, { schema, names }: Joining): Promise<void> {
  const isNamed = sql`launchpad = any(${[...names]}::text[])`
  const isOfPool = sql`pool in (select address from ${sql.id(schema, 'pool')} where ${isNamed})`
  for (const { name, joins, leavesBy } of BLOCK_TABLES) {
    if (joins === 'all') await takeFrom(db, schema, name, sql``)
    if (joins === 'named') await takeFrom(db, schema, name, sql`where ${leavesBy === 'pool' ? isOfPool : isNamed}`)
  }
  const candles = sql.raw(wholeCandlesIn(`"${schema}".`))
  await sql`insert into candle (${CANDLE_COLUMNS}) select ${CANDLE_COLUMNS} from ${candles} as taken`.execute(db)
}

/** Merges the rows that launchpads share: currencies, contracts and traders. Runs after `copyRows`. @returns the tokens that join */
async function takeRows(db: Queryable, { schema }: Joining, committedAtMs: number): Promise<readonly Address[]> {
  await takeFrom(db, schema, 'currency', sql`on conflict do nothing`)
  // A contract belongs to the launchpad that named it first.
  await takeFrom(
    db,
    schema,
    'announced_contract',
    sql`on conflict (address) do update set launchpad = excluded.launchpad, role = excluded.role, created_block = excluded.created_block
      where excluded.created_block < announced_contract.created_block`,
  )
  // A maker who is in both indexes gets new totals. The other makers of the side index keep its totals.
  const isKnown = sql`exists (select from trader where trader.maker = taken.maker)`
  await sql`insert into moved_maker select maker from ${sql.id(schema, 'trader')} as taken where ${isKnown} on conflict do nothing`.execute(
    db,
  )
  await takeFrom(db, schema, 'trader', sql`where not ${isKnown}`)
  const { rows } = await sql<{ address: Address }>`
    update token set sequence = greatest(${committedAtMs}::bigint, dropped.sequence + 1), updated_at_ms = ${committedAtMs}
    from ${sql.id(schema, 'token')} as taken left join dropped_token as dropped using (address)
    where token.address = taken.address returning token.address`.execute(db)
  const tokens = rows.map(({ address }) => address)
  await runStatements(db, attachMetadata(tokens))
  return tokens
}

/** The columns of a table, except those that the database generates. */
async function writtenColumns(db: Queryable, table: string): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    select attname as name from pg_attribute
    where attrelid = ${table}::regclass and attnum > 0 and not attisdropped and attgenerated = '' order by attnum`.execute(db)
  return rows.map(({ name }) => name)
}

/** Computes the totals over all tokens again, as of the last count or the cursor's block, whichever is later. */
async function countTotals(db: Queryable): Promise<void> {
  const day = sql.lit(WINDOW_SECONDS.h24)
  await sql`
    with at as (select greatest((select max(counted_at) from index_totals), (select max(cursor_timestamp) from chain_state)) as counted_at),
      counted as (
        select count(*)::integer as tokens, count(*) filter (where graduation_status = 'bonding')::integer as bonding,
          count(*) filter (where graduation_status = 'completed')::integer as completed,
          count(*) filter (where graduation_status = 'migrated')::integer as migrated, coalesce(sum(liquidity_weth), 0) as liquidity_weth,
          coalesce(sum(trades_h24), 0)::bigint as trades_h24, coalesce(sum(volume_h24), 0) as volume_h24 from token
      ),
      active as (select count(*) as traders from trader cross join at where last_trade_at > at.counted_at - ${day}::bigint)
    insert into index_totals (counted_at, tokens, bonding, completed, migrated, liquidity_weth, trades_h24, volume_h24, traders_h24)
    select at.counted_at, counted.*, active.traders from at cross join counted cross join active where at.counted_at is not null
    on conflict (id) do update set counted_at = excluded.counted_at, tokens = excluded.tokens, bonding = excluded.bonding,
      completed = excluded.completed, migrated = excluded.migrated, liquidity_weth = excluded.liquidity_weth,
      trades_h24 = excluded.trades_h24, volume_h24 = excluded.volume_h24, traders_h24 = excluded.traders_h24`.execute(db)
}
