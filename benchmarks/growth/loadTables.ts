import { chmod, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { BlockHeader } from '#domain/block.ts'
import { KEPT_BLOCKS } from '#store/commit.ts'
import type { Queryable } from '#store/connection/databaseSchema.ts'
import { claimDatabase, type DatabaseIdentity, moveCursor } from '#store/rows/cursor.ts'
import { addBesideTrades } from './besideTrades.ts'
import { columnNames, TABLE_NAMES, type TableName } from './growthTables.ts'
import { addressOf, hashOf } from './hex.ts'
import { FIRST_BLOCK, type GrowthScale, lastBlock, timeOf } from './scale.ts'
import { sortedLines } from './spool.ts'
import { WETH } from './tokenEvents.ts'
import { LAUNCHPADS } from './tokenPlan.ts'

export const CHAIN_ID = 8_453

/** The launchpads that the generated database was built from. */
export const IDENTITY: DatabaseIdentity = {
  chainId: CHAIN_ID,
  genesisHash: hashOf('block', 0),
  weth: WETH,
  launchpads: LAUNCHPADS.map((name, index) => ({
    name,
    adapter: 'bonding-curve',
    contracts: { factory: addressOf('contract', 100 + index) },
    startBlock: FIRST_BLOCK,
  })),
}

/** The header of a block of the history. */
export function headerOf(scale: GrowthScale, number: number): BlockHeader {
  return { number, hash: hashOf('block', number), parentHash: hashOf('block', number - 1), timestamp: timeOf(scale, number) }
}

/**
 * Copies the spooled lines into the empty tables, in the order in which the indexer would have written them. The indexes are created
 * afterwards, which is several times faster. The server reads the files itself, so it must run on this machine.
 */
export async function loadTables(db: Queryable, scale: GrowthScale, folder: string, onProgress: (what: string) => void): Promise<void> {
  const indexes = await dropIndexes(db)
  const files = await readdir(folder)
  for (const table of TABLE_NAMES) {
    onProgress(`copying ${table}`)
    for (let day = 0; day < scale.days; day++)
      await copyDay(
        db,
        table,
        folder,
        files.filter(name => name.startsWith(`${table}-${day}-`)),
      )
  }
  for (const { name, definition } of indexes) {
    onProgress(`indexing ${name}`)
    await sql.raw(definition).execute(db)
  }
  onProgress('naming tokens')
  await sql`insert into token_name (token, name) select address, name from token where name is not null`.execute(db)
  await claimDatabase(db, IDENTITY, 'generator')
  const last = lastBlock(scale)
  await insertBlocks(
    db,
    Array.from({ length: Math.min(KEPT_BLOCKS, last - FIRST_BLOCK) }, (_, back) => headerOf(scale, last - back)),
  )
  await moveCursor(headerOf(scale, last), timeOf(scale, last) * 1_000, null).execute(db)
  onProgress('counting')
  await countTotals(db)
  await addBesideTrades(db, scale)
  onProgress('gathering statistics')
  await sql`vacuum (analyze)`.execute(db)
}

async function copyDay(db: Queryable, table: TableName, folder: string, names: readonly string[]): Promise<void> {
  if (names.length === 0) return
  const texts = await Promise.all(names.map(name => readFile(join(folder, name), 'utf8')))
  const file = join(folder, `${table}.copy`)
  await writeFile(file, sortedLines(texts))
  await chmod(file, 0o644)
  const columns = sql.join(columnNames(table).map(name => sql.id(name)))
  await sql`copy ${sql.table(table)} (${columns}) from ${sql.lit(file)}`.execute(db)
  await Promise.all([file, ...names.map(name => join(folder, name))].map(path => rm(path)))
}

/** Drops the indexes that are no constraints. Returns the statements that create them again. */
async function dropIndexes(db: Queryable): Promise<readonly { readonly name: string; readonly definition: string }[]> {
  const { rows } = await sql<{ name: string; definition: string }>`
    select indexname as name, indexdef as definition from pg_indexes
    where schemaname = 'public' and tablename = any(${TABLE_NAMES}::text[]) and not exists (select from pg_constraint where conname = indexname)
    order by indexname`.execute(db)
  for (const { name } of rows) await sql`drop index ${sql.id(name)}`.execute(db)
  return rows
}

/** The totals that commits maintain, computed once from the tables. */
export async function countTotals(db: Queryable): Promise<void> {
  await sql`
    with traded as (
      select maker, min(timestamp) as first_trade_at, max(timestamp) as last_trade_at, count(*) as trades, coalesce(sum(amount_wei), 0) as volume_wei
      from trade group by maker
    ),
    earned as (
      select holder as maker, count(*) as tokens, coalesce(sum(realized_wei), 0) as realized_wei, coalesce(sum(realized_usd), 0) as realized_usd,
        count(*) filter (where realized_wei is null) as tokens_without_wei, count(*) filter (where realized_usd is null) as tokens_without_usd
      from balance where first_trade_at is not null group by holder
    )
    insert into trader select maker, first_trade_at, last_trade_at, trades, volume_wei, coalesce(tokens, 0), coalesce(realized_wei, 0),
      coalesce(realized_usd, 0), coalesce(tokens_without_wei, 0), coalesce(tokens_without_usd, 0) from traded left join earned using (maker)`.execute(
    db,
  )
  await sql`insert into index_totals (counted_at, tokens, bonding, completed, migrated, liquidity_weth, trades_h24, volume_h24, traders_h24)
    select cursor_timestamp, of_tokens.*, (select count(*) from trader where last_trade_at > cursor_timestamp - 86400)
    from chain_state cross join (
      select count(*), count(*) filter (where graduation_status = 'bonding'), count(*) filter (where graduation_status = 'completed'),
        count(*) filter (where graduation_status = 'migrated'), coalesce(sum(liquidity_weth), 0), coalesce(sum(trades_h24), 0), coalesce(sum(volume_h24), 0)
      from token
    ) as of_tokens`.execute(db)
  await sql`insert into launchpad_totals (launchpad, tokens, bonding, completed, migrated, trades_h24, volume_h24)
    select launchpad, count(*), count(*) filter (where graduation_status = 'bonding'), count(*) filter (where graduation_status = 'completed'),
      count(*) filter (where graduation_status = 'migrated'), sum(trades_h24), sum(volume_h24) from token group by launchpad`.execute(db)
}

async function insertBlocks(db: Queryable, headers: readonly BlockHeader[]): Promise<void> {
  const rows = headers.map(({ number, hash, parentHash, timestamp }) => ({
    number,
    hash: hash.replace('0x', '\\x'),
    parent_hash: parentHash.replace('0x', '\\x'),
    timestamp,
  }))
  await sql`insert into block select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
    as row (number bigint, hash bytea, parent_hash bytea, timestamp bigint)`.execute(db)
}
