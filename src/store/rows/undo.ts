import { sql } from 'kysely'
import type { Address } from '#domain/address.ts'
import type { Changes } from '#domain/changes.ts'
import type { BalanceState, CandleDelta } from '#domain/tokenState.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { arrayOf, BIGINT, BYTEA, binaryArray, INTEGER, TEXT } from './binaryArray.ts'
import { bytesToAddress, toBytes } from './bytes.ts'
import type { SplitRows } from './splitNewRows.ts'
import { TOTALS_COLUMNS } from './totals.ts'
import { BALANCE_COLUMNS, CANDLE_COLUMNS, CREATOR_FEE_COLUMNS, POOL_COLUMNS, TOKEN_COLUMNS } from './writeChanges.ts'

/*
 * What a block changed is kept as it was before, so that the block can be undone: the rows themselves, exact by construction. Trades need no
 * keeping, since a block only adds them and they carry its number.
 */

interface UndoableTable {
  readonly name: string
  readonly key: readonly string[]
  /** What projection determines. What else a row holds survives a reorg. */
  readonly columns: readonly string[]
}

const STAMPED = ['sequence', 'updated_at_ms']
const TOKEN: UndoableTable = {
  name: 'token',
  key: ['address'],
  columns: Object.keys(TOKEN_COLUMNS).filter(name => !STAMPED.includes(name)),
}
const OTHERS: readonly UndoableTable[] = [
  { name: 'pool', key: ['address'], columns: Object.keys(POOL_COLUMNS) },
  { name: 'balance', key: ['token', 'holder'], columns: Object.keys(BALANCE_COLUMNS) },
  { name: 'candle', key: ['token', 'interval_seconds', 'time'], columns: Object.keys(CANDLE_COLUMNS) },
  { name: 'creator_fee', key: ['launchpad', 'creator', 'currency', 'token'], columns: Object.keys(CREATOR_FEE_COLUMNS) },
  { name: 'trader', key: ['maker'], columns: ['maker', 'last_trade_at'] },
  { name: 'index_totals', key: ['id'], columns: TOTALS_COLUMNS },
]

/** A dropped token's last sequence can only be above the clock when that went back; by so much it never does. */
const KEPT_DROPPED_MS = 30 * 86_400_000

/**
 * Keeps the rows that a block is about to change, or that are about to change once more on top of it. To be called before they are written, in the same
 * transaction. One statement.
 *
 * @param split the block's balances and candles: what is new to their tables is not looked for there
 */
export async function keepUndo(db: Queryable, block: number, changes: Changes, { balances, candles }: SplitRows): Promise<void> {
  const { tokens, pools, creatorFees, trades } = changes
  if ([tokens, pools, changes.balances, changes.candles, creatorFees].every(rows => rows.length === 0)) return
  const makers = [...new Set(trades.map(row => row.maker))]
  await sql`
    insert into block_undo (block_number, position, table_name, existed, image)
    select ${block}, row_number() over () + (select coalesce(max(position), 0) from block_undo where block_number = ${block}), kept.* from (
      select 'token', current.address is not null, case when current.address is null then json_build_object('address', address) else to_json(current) end
      from unnest(${arrayOf(BYTEA, tokens, row => row.address)}::bytea[]) as asked (address) left join token as current using (address)
      union all
      select 'pool', current.address is not null, case when current.address is null then json_build_object('address', address) else to_json(current) end
      from unnest(${arrayOf(BYTEA, pools, row => row.address)}::bytea[]) as asked (address) left join pool as current using (address)
      union all
      select 'balance', false, to_json(asked) from ${keysOfBalances(balances.added)}
      union all
      select 'balance', current.token is not null, case when current.token is null then to_json(asked) else to_json(current) end
      from ${keysOfBalances(balances.merged)} left join balance as current using (token, holder)
      union all
      select 'candle', false, to_json(asked) from ${keysOfCandles(candles.added)}
      union all
      select 'candle', current.token is not null, case when current.token is null then to_json(asked) else to_json(current) end
      from ${keysOfCandles(candles.merged)} left join candle as current using (token, interval_seconds, time)
      union all
      select 'creator_fee', current.token is not null, case when current.token is null then to_json(asked) else to_json(current) end
      from unnest(${arrayOf(TEXT, creatorFees, row => row.launchpad)}::text[], ${arrayOf(BYTEA, creatorFees, row => row.creator)}::bytea[],
        ${arrayOf(BYTEA, creatorFees, row => row.currency)}::bytea[], ${arrayOf(BYTEA, creatorFees, row => row.token)}::bytea[]
      ) as asked (launchpad, creator, currency, token)
      left join creator_fee as current using (launchpad, creator, currency, token)
      union all
      select 'trader', current.maker is not null, case when current.maker is null then json_build_object('maker', maker) else to_json(current) end
      from unnest(${binaryArray(BYTEA, makers)}::bytea[]) as asked (maker) left join trader as current using (maker)
      union all
      select 'index_totals', current.id is not null, case when current.id is null then json_build_object('id', id) else to_json(current) end
      from (values (1::smallint)) as asked (id) left join index_totals as current using (id)
    ) as kept`.execute(db)
}

function keysOfBalances(rows: readonly BalanceState[]) {
  return sql`unnest(${arrayOf(BYTEA, rows, row => row.token)}::bytea[], ${arrayOf(BYTEA, rows, row => row.holder)}::bytea[]) as asked (token, holder)`
}

function keysOfCandles(rows: readonly CandleDelta[]) {
  return sql`unnest(${arrayOf(BYTEA, rows, row => row.token)}::bytea[], ${arrayOf(INTEGER, rows, row => row.intervalSeconds)}::integer[],
    ${arrayOf(BIGINT, rows, row => row.time)}::bigint[]) as asked (token, interval_seconds, time)`
}

/**
 * Forgets how to undo the blocks before `to`; those before `from` are forgotten. What was deleted stays in the index until it is vacuumed, and without
 * the lower bound every commit would walk past it.
 */
export async function forgetUndo(db: Queryable, from: number, to: number): Promise<void> {
  await sql`delete from block_undo where block_number >= ${from} and block_number < ${to}`.execute(db)
}

/**
 * Undoes every block above `ancestor`, which must be possible (`ChainCursor.undoFrom`): the tables are as they were when it was committed,
 * except that every token that the blocks changed has a new, higher sequence. Tokens that they launched are gone, and remembered.
 *
 * @returns the tokens that the blocks changed, and of those the ones that are gone
 */
export async function undoBlocks(
  db: Queryable,
  ancestor: number,
  committedAtMs: number,
): Promise<{ readonly changed: readonly Address[]; readonly dropped: readonly Address[] }> {
  const dropped = await dropTokens(db, ancestor, committedAtMs)
  const changed = await restore(db, TOKEN, ancestor, [
    sql`sequence = greatest(current.sequence + 1, ${committedAtMs})`,
    sql`updated_at_ms = ${committedAtMs}`,
  ])
  for (const table of OTHERS) {
    await remove(db, table, ancestor)
    await restore(db, table, ancestor, [])
  }
  // What was asked of a dropped block is asked anew.
  for (const table of ['trade', 'block_undo', 'uncollected_fee'] as const)
    await sql`delete from ${sql.table(table)} where block_number > ${ancestor}`.execute(db)
  await sql`delete from block where number > ${ancestor}`.execute(db)
  return { changed, dropped }
}

/** Gives tokens that were just launched sequences above those that they had on a dropped branch. */
export async function raiseRelaunched(db: Queryable, launched: readonly Address[]): Promise<void> {
  if (launched.length === 0) return
  await sql`update token set sequence = greatest(token.sequence, dropped_token.sequence + 1) from dropped_token
    where token.address = dropped_token.address and token.address = any(${launched.map(toBytes)}::bytea[])`.execute(db)
}

/** The tokens that the reorg of that commit took off the chain. */
export async function readTokensDroppedAt(db: Queryable, committedAtMs: number): Promise<readonly Address[]> {
  const { rows } = await sql<{ address: Buffer }>`select address from dropped_token where dropped_at_ms = ${committedAtMs}
    and not exists (select from token where token.address = dropped_token.address)`.execute(db)
  return rows.map(({ address }) => bytesToAddress(address))
}

async function dropTokens(db: Queryable, ancestor: number, committedAtMs: number): Promise<readonly Address[]> {
  await sql`delete from dropped_token where dropped_at_ms < ${committedAtMs - KEPT_DROPPED_MS}`.execute(db)
  const { rows } = await sql<{ address: Buffer }>`
    with undone as (${oldestImages(TOKEN, ancestor)}),
      gone as (delete from token as current using undone where not undone.existed and ${sameKey(TOKEN)} returning current.address, current.sequence)
    insert into dropped_token (address, sequence, dropped_at_ms) select address, sequence, ${committedAtMs} from gone
    on conflict (address) do update set sequence = greatest(dropped_token.sequence, excluded.sequence), dropped_at_ms = excluded.dropped_at_ms
    returning address`.execute(db)
  return rows.map(({ address }) => bytesToAddress(address))
}

async function remove(db: Queryable, table: UndoableTable, ancestor: number): Promise<void> {
  await sql`with undone as (${oldestImages(table, ancestor)})
    delete from ${sql.table(table.name)} as current using undone where not undone.existed and ${sameKey(table)}`.execute(db)
}

/** @returns the first key column of what was restored, which for tokens is all of it */
async function restore(
  db: Queryable,
  table: UndoableTable,
  ancestor: number,
  stamps: readonly ReturnType<typeof sql>[],
): Promise<readonly Address[]> {
  const values = table.columns.filter(name => !table.key.includes(name)).map(name => sql`${sql.id(name)} = undone.${sql.id(name)}`)
  const { rows } = await sql<{ address?: Buffer }>`
    with undone as (${oldestImages(table, ancestor)})
    update ${sql.table(table.name)} as current set ${sql.join([...values, ...stamps])} from undone where undone.existed and ${sameKey(table)}
    returning ${table === TOKEN ? sql`current.address` : sql`1`}`.execute(db)
  return rows.flatMap(({ address }) => (address === undefined ? [] : [bytesToAddress(address)]))
}

/** Per row the first image that the oldest undone block kept: how it was before all of them. */
function oldestImages({ name, key }: UndoableTable, ancestor: number) {
  const keys = sql.join(key.map(column => sql`was.${sql.id(column)}`))
  return sql`select distinct on (${keys}) kept.existed, was.*
    from block_undo as kept cross join lateral json_populate_record(null::${sql.table(name)}, kept.image) as was
    where kept.table_name = ${name} and kept.block_number > ${ancestor} order by ${keys}, kept.block_number, kept.position`
}

function sameKey({ key }: UndoableTable) {
  return sql.join(
    key.map(column => sql`current.${sql.id(column)} = undone.${sql.id(column)}`),
    sql` and `,
  )
}
