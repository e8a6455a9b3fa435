import { type RawBuilder, sql } from 'kysely'
import type { Address } from '#domain/address.ts'
import { CANDLE_INTERVALS, STORED_INTERVALS } from '#domain/candle.ts'
import type { Queryable } from '#store/connection/databaseSchema.ts'
import { CANDLE, type CandleRow } from '#tables/candle.ts'
import { type Table, toBytes } from '#tables/columns.ts'
import { BLOCK_TABLES, ENTITIES, IMAGED_TABLES } from '#tables/entities.ts'
import { FULL_TOKEN, TOKEN } from '#tables/token.ts'
import { INDEX_TOTALS } from '#tables/totals.ts'
import { stampQuotedIn } from './currencies.ts'
import { stampToken } from './cursor.ts'
import { FOLDED_VALUES, isOfMinute, UNFOLDED_FROM } from './foldMinutes.ts'
import { lookUp, runStatements, type Statements, type TableRows, unnested } from './insertRows.ts'
import { attachMetadata, writeTokenNames } from './metadata.ts'

/*
 * Before a block changes rows, their images are kept, so that the block can be undone exactly. Of a token row, only the columns that
 * projection determines are restored; the others survive a reorg. Of candles, only those of the shortest interval have images. Trades,
 * joins, exits, creations of pools, milestones and changes of values have no images: a block only adds them, and they carry its number.
 *
 * An image is a value of the table's row type, which PostgreSQL copies as it is; JSON would turn each number into text. It fits no other
 * form of the table. So before a migration changes rows or row types, all blocks that have images are undone, by what the catalog says of
 * the tables (`migrations/goBack.ts`).
 */

type UndoableTable = Pick<Table<never>, 'name' | 'key'>

/** The tables whose rows a block adds, with the column that has its number. LP fees are read again after their block was undone. */
const ADDED_BY_BLOCK = BLOCK_TABLES.flatMap(({ name, undone = 'image' }) => (undone === 'image' ? [] : [[name, undone] as const]))
const KNOWN_TABLES = new Set(ENTITIES.map(({ meta }) => meta.tableName))

/** The columns of a token that no block determines. */
const LASTING_COLUMNS = FULL_TOKEN.columns.map(({ name }) => name).filter(name => !TOKEN.columns.some(column => column.name === name))

/** A new sequence is below that of a dropped token only after the clock went back. No clock goes back by this much. */
const KEPT_DROPPED_MS = 30 * 86_400_000

/** Keeps images of the rows that a block changes, in the same transaction and before they are written. */
export function* keepUndo(block: number, changed: readonly TableRows[]): Statements {
  const imaged = changed.filter(({ table }) => table.life.undone === 'image')
  if (imaged.every(({ added = [], merged }) => added.length + merged.length === 0)) return
  const kept: readonly TableRows[] = [...imaged, { table: INDEX_TOTALS, merged: [{ id: 1 }] }]
  const forgotten = IMAGED_TABLES.find(name => !kept.some(({ table }) => table.name === name))
  if (forgotten !== undefined) throw new TypeError(`a commit does not say which rows of ${forgotten} it changes`)
  const images = kept.flatMap(({ table, added, merged }) => [
    ...(added === undefined ? [] : [imagesOfAdded(table, withImages(table, added))]),
    imagesOf(table, withImages(table, merged)),
  ])
  yield sql`
    insert into block_undo (block_number, position, table_name, added_key, ${sql.join(IMAGED_TABLES.map(name => sql.id(name)))})
    select ${block}, row_number() over () + (select coalesce(max(position), 0) from block_undo where block_number = ${block}), kept.*
    from (${sql.join(images, sql` union all `)}) as kept`
}

function withImages({ name }: UndoableTable, rows: readonly object[]): readonly object[] {
  return name === CANDLE.name ? (rows as readonly CandleRow[]).filter(isOfMinute) : rows
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
  return sql.join(IMAGED_TABLES.map(name => sql`${name === of.name ? image : sql`null`}::${sql.table(name)}`))
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
export async function undoBlocks(db: Queryable, ancestor: number, committedAtMs: number, isReorg = true): Promise<UndoneTokens> {
  return deriveRows(db, await restoreRows(db, ancestor, committedAtMs, isReorg), committedAtMs)
}

interface UndoneTokens {
  readonly changed: readonly Address[]
  readonly dropped: readonly Address[]
}

/** What `deriveRows` has to do. */
export interface RestoredRows extends UndoneTokens {
  readonly candles: readonly CandlePlace[]
  /** The tokens whose URI or image has changed, and those whose symbol or name has. */
  readonly moved: readonly Address[]
  readonly renamed: readonly Address[]
}

/**
 * The first half of `undoBlocks`: takes every row that blocks determine back to what it was, except those that follow from others. The
 * tables may be those of an earlier version.
 */
export async function restoreRows(db: Queryable, ancestor: number, committedAtMs: number, isReorg: boolean): Promise<RestoredRows> {
  if (isReorg) await countReorg(db, ancestor + 1)
  const tables = await readStoredTables(db)
  const candle = tables.find(({ name }) => name === CANDLE.name)
  const token = tables.find(({ name }) => name === TOKEN.name)
  const candles = candle === undefined ? [] : await candlesSince(db, candle, ancestor)
  const launched = token && sql`select address from (${oldestImages(token, ancestor)}) as undone where not existed`
  const dropped = launched === undefined ? [] : await keepSequences(db, sql`address in (${launched})`, committedAtMs)
  const moved = await tokensChangedIn(db, token, ['metadata_uri', 'image_uri'], ancestor)
  const renamed = await tokensChangedIn(db, token, ['symbol', 'name'], ancestor)
  for (const table of tables) {
    await sql`with undone as (${oldestImages(table, ancestor)})
      delete from ${sql.table(table.name)} as current using undone where not undone.existed and ${sameKey(table)}`.execute(db)
    if (table !== token) await restored(table, ancestor, []).execute(db)
  }
  const changed = token === undefined ? [] : await restoreTokens(db, token, ancestor, committedAtMs)
  await dropLongerCandles(db, candles)
  for (const [table, column] of await readAddedByBlock(db))
    await sql`delete from ${sql.table(table)} where ${sql.ref(column)} > ${ancestor}`.execute(db)
  return { changed, dropped, candles, moved, renamed }
}

/** The second half of `undoBlocks`: computes the rows that follow from others, in the tables of this version. */
export async function deriveRows(
  db: Queryable,
  { candles, changed, dropped, moved, renamed }: RestoredRows,
  committedAtMs: number,
): Promise<UndoneTokens> {
  await foldCandlesAgain(db, candles)
  await runStatements(db, writeTokenNames([...renamed, ...dropped]))
  await runStatements(db, attachMetadata(moved))
  const quoted = await stampQuotedIn(db, [...renamed, ...dropped], committedAtMs, changed)
  return { changed: [...changed, ...quoted], dropped }
}

/** A table of which rows have images, as the database has it. */
interface StoredTable {
  readonly name: string
  readonly key: readonly string[]
  /** The other columns that images restore. */
  readonly columns: readonly string[]
}

async function readStoredTables(db: Queryable): Promise<readonly StoredTable[]> {
  const { rows } = await sql<StoredTable>`
    select relname as name, array_agg(attname::text order by attnum) filter (where attnum = any(indkey)) as key,
      coalesce(array_agg(attname::text order by attnum) filter (where not attnum = any(indkey) and attgenerated = ''
        and (relname <> ${TOKEN.name} or attname <> all(${LASTING_COLUMNS}::text[]))), '{}') as columns
    from pg_class join pg_namespace as place on place.oid = relnamespace and nspname = current_schema()
      join pg_index on indrelid = pg_class.oid and indisprimary
      join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped
    where relname in (select table_name from block_undo) group by relname`.execute(db)
  return rows
}

/** @throws `TypeError` when a table has numbers of blocks, and is none of those that are known here */
async function readAddedByBlock(db: Queryable): Promise<readonly (readonly [table: string, column: string])[]> {
  const { rows } = await sql<{ table: string; numbered: boolean }>`
    select relname as "table", exists (
      select from pg_attribute where attrelid = pg_class.oid and attname = 'block_number' and not attisdropped) as numbered
    from pg_class join pg_namespace as place on place.oid = relnamespace and nspname = current_schema() where relkind = 'r'`.execute(db)
  const unknown = rows.find(({ table, numbered }) => numbered && !KNOWN_TABLES.has(table))
  if (unknown !== undefined) throw new TypeError(`undoing a block does not know what to do with the rows of ${unknown.table}`)
  const present = new Set(rows.map(({ table }) => table))
  return ADDED_BY_BLOCK.filter(([table]) => present.has(table))
}

async function candlesSince(db: Queryable, table: StoredTable, ancestor: number): Promise<readonly CandlePlace[]> {
  const { rows } = await sql<CandlePlace>`
    select distinct (image).token, (image).time from (${imagesSince(table, ancestor)}) as undone`.execute(db)
  return rows
}

/** The tokens of which the blocks above the ancestor changed one of these columns. */
async function tokensChangedIn(
  db: Queryable,
  table: StoredTable | undefined,
  columns: readonly string[],
  ancestor: number,
): Promise<readonly Address[]> {
  if (table === undefined) return []
  const of = (row: string) => sql.join(columns.map(column => sql.ref(`${row}.${column}`)))
  const { rows } = await sql<{ address: Address }>`with undone as (${oldestImages(table, ancestor)})
    select current.address from token as current join undone on ${sameKey(table)}
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
export async function countReorg(db: Queryable, fromBlock: number): Promise<void> {
  await sql`insert into reorg (number, from_block) select coalesce(max(number), 0) + 1, ${fromBlock} from reorg`.execute(db)
}

/** Keeps every token's sequence before all tokens are deleted, and counts the reorg. */
export async function dropAllTokens(db: Queryable, committedAtMs: number): Promise<void> {
  await countReorg(db, 0)
  await keepSequences(db, sql`true`, committedAtMs)
}

/** Keeps the sequences of tokens that are about to be deleted. @returns these tokens */
export async function keepSequences(db: Queryable, which: RawBuilder<unknown>, committedAtMs: number): Promise<readonly Address[]> {
  await sql`delete from dropped_token where dropped_at_ms < ${committedAtMs - KEPT_DROPPED_MS}`.execute(db)
  const { rows } = await sql<{ address: Address }>`
    insert into dropped_token (address, sequence, dropped_at_ms) select address, sequence, ${committedAtMs} from token where ${which}
    on conflict (address) do update set sequence = greatest(dropped_token.sequence, excluded.sequence), dropped_at_ms = excluded.dropped_at_ms
    returning address`.execute(db)
  return rows.map(({ address }) => address)
}

async function restoreTokens(db: Queryable, table: StoredTable, ancestor: number, committedAtMs: number): Promise<readonly Address[]> {
  const stamps = [stampToken(committedAtMs, 'current')]
  const { rows } = await sql<{ address: Address }>`${restored(table, ancestor, stamps)} returning current.address`.execute(db)
  return rows.map(({ address }) => address)
}

function restored(table: StoredTable, ancestor: number, stamps: readonly RawBuilder<unknown>[]): RawBuilder<unknown> {
  const values = table.columns.map(name => sql`${sql.id(name)} = ${sql.ref(`undone.${name}`)}`)
  return sql`with undone as (${oldestImages(table, ancestor)})
    update ${sql.table(table.name)} as current set ${sql.join([...values, ...stamps])} from undone where undone.existed and ${sameKey(table)}`
}

/** Each row's image from the oldest undone block that has one, which is the row as it was before all undone blocks. */
function oldestImages(table: StoredTable, ancestor: number): RawBuilder<unknown> {
  const keys = sql.join(table.key.map(name => sql`(image).${sql.id(name)}`))
  return sql`select existed, (image).* from (
      select distinct on (${keys}) existed, image from (${imagesSince(table, ancestor)}) as undone order by ${keys}, block_number, position
    ) as oldest`
}

/** The image of a row that was added has only the key. "offset 0" has PostgreSQL build each image once. */
function imagesSince({ name }: StoredTable, ancestor: number): RawBuilder<unknown> {
  const image = sql`coalesce(${sql.id(name)}, json_populate_record(null::${sql.table(name)}, added_key))`
  return sql`select block_number, position, added_key is null as existed, ${image} as image
    from block_undo where table_name = ${name} and block_number > ${ancestor} offset 0`
}

function sameKey({ key }: Pick<StoredTable, 'key'>): RawBuilder<unknown> {
  return sql.join(
    key.map(name => sql`${sql.ref(`current.${name}`)} = ${sql.ref(`undone.${name}`)}`),
    sql` and `,
  )
}

/** A candle of a minute. */
interface CandlePlace {
  readonly token: Address
  readonly time: number
}

/** SQL that defines `touched`: the longer candles of an interval in which the candles of a minute are. */
function touchedBy(undone: readonly CandlePlace[], seconds: RawBuilder<unknown>): RawBuilder<unknown> {
  const tokens = undone.map(({ token }) => toBytes(token))
  return sql`with touched as (
    select distinct token, time - time % ${seconds} as time
    from unnest(${tokens}::bytea[], ${undone.map(({ time }) => time)}::bigint[]) as undone (token, time))`
}

/** Deletes the longer candles that `foldCandlesAgain` computes. */
async function dropLongerCandles(db: Queryable, undone: readonly CandlePlace[]): Promise<void> {
  if (undone.length === 0) return
  for (const interval of STORED_INTERVALS.slice(1)) {
    const seconds = sql`${sql.lit(CANDLE_INTERVALS[interval])}::bigint`
    await sql`${touchedBy(undone, seconds)} delete from candle using touched
      where candle.time = touched.time and candle.token = touched.token and candle.interval_seconds = ${seconds}`.execute(db)
  }
}

/**
 * Computes the longer candles in which a candle of a minute was undone, after those of a minute are restored and `dropLongerCandles`. Each
 * is folded from candles of the next shorter interval. Candles of a minute are kept for longer than blocks can be undone, and are dropped
 * by whole days. Those that `foldMinutes` has not folded yet are left to it.
 */
async function foldCandlesAgain(db: Queryable, undone: readonly CandlePlace[]): Promise<void> {
  if (undone.length === 0) return
  const folded = sql.join(FOLDED_VALUES.map(value => sql.raw(value.sql)))
  const names = sql.join(FOLDED_VALUES.map(({ name }) => sql.id(name)))
  for (const [index, interval] of STORED_INTERVALS.entries()) {
    const shorter = STORED_INTERVALS[index - 1]
    if (shorter === undefined) continue
    const seconds = sql`${sql.lit(CANDLE_INTERVALS[interval])}::bigint`
    const step = sql.lit(CANDLE_INTERVALS[shorter])
    await sql`${touchedBy(undone, seconds)} insert into candle (time, token, interval_seconds, ${names})
      select touched.time, touched.token, ${seconds}, ${folded}
      from touched cross join generate_series(touched.time, touched.time + ${seconds} - ${step}, ${step}) as at (time)
      ${lookUp('candle', sql`candle.time = at.time and candle.token = touched.token and candle.interval_seconds = ${step}`, 'part')}
      where ${index === 1 ? sql`coalesce(part.time < ${sql.raw(UNFOLDED_FROM)}, true)` : sql`true`}
      group by touched.time, touched.token`.execute(db)
  }
}
