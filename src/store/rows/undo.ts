import { type RawBuilder, sql } from 'kysely'
import type { Address } from '#domain/address.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { BALANCE } from '#tables/balance.ts'
import { CANDLE } from '#tables/candle.ts'
import type { Changes } from '#tables/changes.ts'
import { CREATOR_FEE } from '#tables/creatorFee.ts'
import { EARLY_CLASS } from '#tables/earlyClass.ts'
import { POOL } from '#tables/pool.ts'
import { POOL_TICK } from '#tables/poolTick.ts'
import type { Table } from '#tables/tableOf.ts'
import { toBytes } from '#tables/toBytes.ts'
import { TOKEN } from '#tables/token.ts'
import { INDEX_TOTALS, LAUNCHPAD_TOTALS, TRADER } from '#tables/totals.ts'
import { stampQuotedIn } from './currencies.ts'
import { stampToken } from './cursor.ts'
import { foldCandlesAgain } from './foldCandlesAgain.ts'
import { isOfMinute } from './foldMinutes.ts'
import { runStatements, type Statements, unnested } from './insertRows.ts'
import { attachMetadata } from './metadata.ts'
import type { SplitRows } from './splitNewRows.ts'
import { writeTokenNames } from './tokenNames.ts'

/*
 * Before a block changes rows, their images are kept, so that the block can be undone exactly. Of a token row, only the columns that
 * projection determines are restored; the others survive a reorg. Of candles, only those of the shortest interval have images. Trades,
 * joins, exits, creations of pools, milestones and changes of values have no images: a block only adds them, and they carry its number.
 *
 * An image is a value of the table's row type, which PostgreSQL copies as it is; JSON would turn each number into text. An image lacks the
 * columns that a later migration adds, which would be restored as null. So such a migration deletes all images, and sets
 * `chain_state.undo_from` to null. Where PostgreSQL refuses to alter a table because its row type is used, the migration drops the column
 * of images and adds it again.
 */

type UndoableTable = Pick<Table<never>, 'name' | 'key' | 'columns'>

const BESIDE_TOKENS: readonly UndoableTable[] = [
  POOL,
  POOL_TICK,
  BALANCE,
  EARLY_CLASS,
  CANDLE,
  CREATOR_FEE,
  TRADER,
  INDEX_TOTALS,
  LAUNCHPAD_TOTALS,
]

const UNDOABLE = [TOKEN, ...BESIDE_TOKENS]

/** A new sequence is below that of a dropped token only after the clock went back. No clock goes back by this much. */
const KEPT_DROPPED_MS = 30 * 86_400_000

/** Keeps images of the rows that a block changes, in the same transaction and before they are written. */
export function* keepUndo(block: number, changes: Changes, { balances, candles }: SplitRows): Statements {
  const { tokens, pools, creatorFees, trades } = changes
  if ([tokens, pools, changes.balances, changes.candles, creatorFees].every(rows => rows.length === 0)) return
  const makers = [...new Set(trades.map(row => row.maker))].map(maker => ({ maker }))
  const launchpads = [...new Set(tokens.map(row => row.launchpad))].map(launchpad => ({ launchpad }))
  const images = [
    imagesOf(TOKEN, tokens),
    imagesOf(POOL, pools),
    imagesOf(POOL_TICK, changes.ticks),
    imagesOfAdded(BALANCE, balances.added),
    imagesOf(BALANCE, balances.merged),
    imagesOf(EARLY_CLASS, changes.earlyClasses),
    imagesOfAdded(CANDLE, candles.added.filter(isOfMinute)),
    imagesOf(CANDLE, candles.merged.filter(isOfMinute)),
    imagesOf(CREATOR_FEE, creatorFees),
    imagesOf(TRADER, makers),
    imagesOf(INDEX_TOTALS, [{ id: 1 }]),
    imagesOf(LAUNCHPAD_TOTALS, launchpads),
  ]
  yield sql`
    insert into block_undo (block_number, position, table_name, added_key, ${sql.join(UNDOABLE.map(({ name }) => sql.id(name)))})
    select ${block}, row_number() over () + (select coalesce(max(position), 0) from block_undo where block_number = ${block}), kept.*
    from (${sql.join(images, sql` union all `)}) as kept`
}

/** For each row, the image of the stored row with the same key; where there is none, only the key. */
function imagesOf(table: UndoableTable, rows: readonly object[]): RawBuilder<unknown> {
  const { name, key } = table
  const isAdded = sql`${sql.ref(`current.${key[0]?.name}`)} is null`
  const names = sql.join(key.map(column => sql.id(column.name)))
  return sql`select ${sql.lit(name)}, case when ${isAdded} then to_json(asked) end, ${imageColumns(table, sql`current`)}
    from (select ${unnested(key, rows)}) as asked left join ${sql.table(name)} as current using (${names})`
}

function imagesOfAdded(table: UndoableTable, rows: readonly object[]): RawBuilder<unknown> {
  return sql`select ${sql.lit(table.name)}, to_json(asked), ${imageColumns(table, sql`null`)}
    from (select ${unnested(table.key, rows)}) as asked`
}

function imageColumns(of: UndoableTable, image: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql.join(UNDOABLE.map(table => sql`${table === of ? image : sql`null`}::${sql.table(table.name)}`))
}

/**
 * Deletes the images of blocks before `to`; those of blocks before `from` are deleted already. Deleted rows stay in the index until a
 * vacuum, and without the lower bound every commit would walk past them.
 */
export function forgetUndo(from: number, to: number): RawBuilder<unknown> {
  return sql`delete from block_undo where block_number >= ${from} and block_number < ${to}`
}

/**
 * Undoes every block above `ancestor`, which must be possible (`ChainCursor.undoFrom`), and counts the reorg. Every token that the blocks
 * changed gets a new, higher sequence. Tokens that they launched are deleted, and their sequences kept.
 *
 * @param isReorg `false`: the same blocks are applied again in this transaction, so that what readers have read stays valid
 * @returns the tokens that the blocks changed, and the deleted ones
 */
export async function undoBlocks(
  db: Queryable,
  ancestor: number,
  committedAtMs: number,
  isReorg = true,
): Promise<{ readonly changed: readonly Address[]; readonly dropped: readonly Address[] }> {
  if (isReorg) await countReorg(db, ancestor + 1)
  const dropped = await dropTokens(db, ancestor, committedAtMs)
  const moved = await tokensChangedIn(db, ['metadata_uri', 'image_uri'], ancestor)
  const renamed = await tokensChangedIn(db, ['symbol', 'name'], ancestor)
  const { rows } = await sql<{ address: Address }>`
    ${restored(TOKEN, ancestor, [stampToken(committedAtMs, 'current')])} returning current.address`.execute(db)
  for (const table of BESIDE_TOKENS) {
    await sql`with undone as (${oldestImages(table, ancestor)})
      delete from ${sql.table(table.name)} as current using undone where not undone.existed and ${sameKey(table)}`.execute(db)
    await restored(table, ancestor, []).execute(db)
  }
  await foldCandlesAgain(db, sql`select (image).token, (image).time from (${imagesSince(CANDLE, ancestor)}) as undone`)
  // LP fees that were read at an undone block are deleted, too: they are read again.
  for (const table of ['trade', 'join_exit', 'pool_creation', 'block_undo', 'uncollected_fee', 'value_change'] as const)
    await sql`delete from ${sql.table(table)} where block_number > ${ancestor}`.execute(db)
  await sql`delete from milestone where kind in ('launch', 'graduation') and block_number > ${ancestor}`.execute(db)
  await sql`delete from announced_contract where created_block > ${ancestor}`.execute(db)
  await sql`delete from block where number > ${ancestor}`.execute(db)
  await runStatements(db, writeTokenNames([...renamed, ...dropped]))
  await runStatements(db, attachMetadata(moved))
  const restoredTokens = rows.map(({ address }) => address)
  const quoted = await stampQuotedIn(db, [...renamed, ...dropped], committedAtMs, restoredTokens)
  return { changed: [...restoredTokens, ...quoted], dropped }
}

/** The tokens of which the blocks above the ancestor changed one of these columns. */
async function tokensChangedIn(db: Queryable, columns: readonly string[], ancestor: number): Promise<readonly Address[]> {
  const of = (row: string) => sql.join(columns.map(column => sql.ref(`${row}.${column}`)))
  const { rows } = await sql<{ address: Address }>`with undone as (${oldestImages(TOKEN, ancestor)})
    select current.address from token as current join undone on ${sameKey(TOKEN)}
    where undone.existed and row(${of('current')}) is distinct from row(${of('undone')})`.execute(db)
  return rows.map(({ address }) => address)
}

/** Raises the sequences of just launched tokens above those that they had on a dropped branch. */
export function* raiseRelaunched(launched: readonly Address[]): Statements {
  if (launched.length === 0) return
  yield sql`update token set sequence = greatest(token.sequence, dropped_token.sequence + 1) from dropped_token
    where token.address = dropped_token.address and token.address = any(${launched.map(toBytes)}::bytea[])`
}

/** The tokens whose launch the commit at that time has undone. */
export async function readTokensDroppedAt(db: Queryable, committedAtMs: number): Promise<readonly Address[]> {
  const { rows } = await sql<{ address: Address }>`select address from dropped_token where dropped_at_ms = ${committedAtMs}
    and not exists (select from token where token.address = dropped_token.address)`.execute(db)
  return rows.map(({ address }) => address)
}

/** Counts the reorg: by the count, readers see that what they have read of the undone blocks is void. */
async function countReorg(db: Queryable, fromBlock: number): Promise<void> {
  await sql`insert into reorg (number, from_block) select coalesce(max(number), 0) + 1, ${fromBlock} from reorg`.execute(db)
}

async function dropTokens(db: Queryable, ancestor: number, committedAtMs: number): Promise<readonly Address[]> {
  await sql`delete from dropped_token where dropped_at_ms < ${committedAtMs - KEPT_DROPPED_MS}`.execute(db)
  const { rows } = await sql<{ address: Address }>`
    with undone as (${oldestImages(TOKEN, ancestor)}),
      gone as (delete from token as current using undone where not undone.existed and ${sameKey(TOKEN)} returning current.address, current.sequence)
    insert into dropped_token (address, sequence, dropped_at_ms) select address, sequence, ${committedAtMs} from gone
    on conflict (address) do update set sequence = greatest(dropped_token.sequence, excluded.sequence), dropped_at_ms = excluded.dropped_at_ms
    returning address`.execute(db)
  return rows.map(({ address }) => address)
}

/** Keeps every token's sequence before all tokens are deleted, and counts the reorg. */
export async function dropAllTokens(db: Queryable, committedAtMs: number): Promise<void> {
  await countReorg(db, 0)
  await keepSequences(db, sql`true`, committedAtMs)
}

/** Keeps the sequences of tokens that are about to be deleted. @returns these tokens */
export async function keepSequences(db: Queryable, which: RawBuilder<unknown>, committedAtMs: number): Promise<readonly Address[]> {
  const { rows } = await sql<{ address: Address }>`
    insert into dropped_token (address, sequence, dropped_at_ms) select address, sequence, ${committedAtMs} from token where ${which}
    on conflict (address) do update set sequence = greatest(dropped_token.sequence, excluded.sequence), dropped_at_ms = excluded.dropped_at_ms
    returning address`.execute(db)
  return rows.map(({ address }) => address)
}

function restored(table: UndoableTable, ancestor: number, stamps: readonly RawBuilder<unknown>[]): RawBuilder<unknown> {
  const values = table.columns
    .filter(column => !table.key.includes(column))
    .map(({ name }) => sql`${sql.id(name)} = ${sql.ref(`undone.${name}`)}`)
  return sql`with undone as (${oldestImages(table, ancestor)})
    update ${sql.table(table.name)} as current set ${sql.join([...values, ...stamps])} from undone where undone.existed and ${sameKey(table)}`
}

/** Each row's image from the oldest undone block that has one, which is the row as it was before all undone blocks. */
function oldestImages(table: UndoableTable, ancestor: number): RawBuilder<unknown> {
  const keys = sql.join(table.key.map(({ name }) => sql`(image).${sql.id(name)}`))
  return sql`select existed, (image).* from (
      select distinct on (${keys}) existed, image from (${imagesSince(table, ancestor)}) as undone order by ${keys}, block_number, position
    ) as oldest`
}

/** The image of a row that was added has only the key. "offset 0" has PostgreSQL build each image once. */
function imagesSince({ name }: UndoableTable, ancestor: number): RawBuilder<unknown> {
  return sql`select block_number, position, added_key is null as existed,
      coalesce(${sql.id(name)}, json_populate_record(null::${sql.table(name)}, added_key)) as image
    from block_undo where table_name = ${name} and block_number > ${ancestor} offset 0`
}

function sameKey({ key }: UndoableTable): RawBuilder<unknown> {
  return sql.join(
    key.map(({ name }) => sql`${sql.ref(`current.${name}`)} = ${sql.ref(`undone.${name}`)}`),
    sql` and `,
  )
}
