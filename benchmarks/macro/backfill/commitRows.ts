import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { MikroORM } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import pino from 'pino'
import { median } from '#benchmarks/harness/quantile.ts'
import { startDatabaseServer } from '#benchmarks/service/databaseServer.ts'
import { type Address, toAddress } from '#domain/address.ts'
import { type Decimal, formatDecimal, parseDecimal } from '#domain/decimal.ts'
import { createOrm } from '#store/connection/orm.ts'
import type { Queryable } from '#store/connection/queryable.ts'
import { migrate } from '#store/migrations/migrate.ts'
import type { SplitRows } from '#store/rows/splitNewRows.ts'
import { writeChanges } from '#store/rows/writeChanges.ts'
import { BalanceEntity, type BalanceRow } from '#tables/balance.ts'
import { ENTITIES } from '#tables/entities.ts'
import { TradeEntity, type TradeRow } from '#tables/trade.ts'
import { NO_CHANGES } from '#test/support/noChanges.ts'

export interface CommitRowsSettings {
  readonly sizes: readonly number[]
  /** Commits per method and size; the median is reported. */
  readonly repeats: number
}

export interface CommitRowsResult {
  readonly table: 'trade' | 'balance'
  readonly method: string
  readonly rows: number
  readonly ms: number
  readonly rowsPerSecond: number
}

interface Bench {
  readonly orm: MikroORM
  /** A folder that the server can read. */
  readonly file: string
}

interface Method {
  readonly name: string
  trades(bench: Bench, rows: readonly TradeRow[]): Promise<void>
  balances(bench: Bench, rows: readonly BalanceRow[]): Promise<void>
}

const WARM_UP_ROWS = 100
const NONE: SplitRows = { balances: { added: [], merged: [] }, candles: { added: [], merged: [] } }
/** The ORM's statements contain their values as text: more rows at a time take gigabytes of memory. */
const ORM_BATCH = 1_000

const transaction = (orm: MikroORM, work: (db: Queryable) => Promise<void>) =>
  orm.em.fork().transactional(em => work(em.getKysely<unknown>()))

const UNNEST: Method = {
  name: 'unnest',
  trades: ({ orm }, trades) =>
    transaction(orm, db =>
      writeChanges(db, { changes: { ...NO_CHANGES, trades }, split: NONE, contracts: [], revaluedTo: null, blocks: [] }, 0),
    ),
  balances: ({ orm }, balances) =>
    transaction(orm, db =>
      writeChanges(
        db,
        { changes: NO_CHANGES, split: { ...NONE, balances: { added: [], merged: balances } }, contracts: [], revaluedTo: null, blocks: [] },
        0,
      ),
    ),
}

/** The server reads a file, which costs less than COPY over the connection. */
const COPY: Method = {
  name: 'copy',
  trades: async ({ orm, file }, rows) => {
    await writeRows(file, rows.map(tradeLine))
    await transaction(orm, async db => void (await sql.raw(`copy trade (${TRADE_COLUMNS}) from '${file}'`).execute(db)))
  },
  balances: async ({ orm, file }, rows) => {
    await writeRows(file, rows.map(balanceLine))
    await transaction(orm, async db => {
      await sql`create temporary table incoming (like balance including defaults) on commit drop`.execute(db)
      await sql.raw(`copy incoming (${BALANCE_COLUMNS}) from '${file}'`).execute(db)
      await sql
        .raw(`insert into balance select * from incoming on conflict (token, holder) do update set
        balance = excluded.balance, type = excluded.type, last_changed_block = excluded.last_changed_block`)
        .execute(db)
    })
  },
}

const ORM: Method = {
  name: 'orm',
  trades: ({ orm }, rows) =>
    orm.em.fork().transactional(async em => {
      for (let at = 0; at < rows.length; at += ORM_BATCH) {
        await em.insertMany(TradeEntity, rows.slice(at, at + ORM_BATCH))
      }
    }),
  balances: ({ orm }, rows) =>
    orm.em.fork().transactional(async em => {
      for (let at = 0; at < rows.length; at += ORM_BATCH) {
        await em.upsertMany(BalanceEntity, rows.slice(at, at + ORM_BATCH))
      }
    }),
}

/** Rows per second of a commit: by `writeChanges`, by PostgreSQL's COPY, and by MikroORM. */
export async function commitRows({ sizes, repeats }: CommitRowsSettings): Promise<readonly CommitRowsResult[]> {
  const server = await startDatabaseServer()
  const folder = await mkdtemp(path.join(tmpdir(), 'tokenwire-bench-'))
  await chmod(folder, 0o755)
  const url = await server.create('rows')
  const logger = pino({ level: 'silent' })
  await migrate(url, logger)
  const orm = createOrm(url, logger, { statementTimeoutMs: 0 }, { entities: ENTITIES })
  const bench: Bench = { orm, file: path.join(folder, 'rows.tsv') }
  try {
    const results: CommitRowsResult[] = []
    // The first pass opens connections and compiles code; it is not counted.
    for (const [pass, rows] of [WARM_UP_ROWS, ...sizes].entries()) {
      for (const table of ['trade', 'balance'] as const) {
        for (const method of [UNNEST, COPY, ORM]) {
          const times: number[] = []
          for (let repeat = 0; repeat < Math.max(2, Math.min(repeats, Math.ceil(100_000 / rows))); repeat++) {
            const run = runOf(method, table, rows, bench, repeat)
            const begunAtMs = performance.now()
            await run()
            times.push(performance.now() - begunAtMs)
          }
          const ms = median(times)
          if (pass > 0) results.push({ table, method: method.name, rows, ms, rowsPerSecond: (rows * 1_000) / ms })
          await checkAndClear(orm, table, rows)
        }
      }
    }
    return results
  } finally {
    await orm.close(true)
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

function runOf(method: Method, table: 'trade' | 'balance', count: number, bench: Bench, repeat: number): () => Promise<void> {
  if (table === 'trade') {
    const rows = Array.from({ length: count }, (_, index) => tradeRow(repeat * count + index))
    return () => method.trades(bench, rows)
  }
  // The first commit inserts the rows, the others update them.
  const rows = Array.from({ length: count }, (_, index) => balanceRow(index, repeat))
  return () => method.balances(bench, rows)
}

async function checkAndClear(orm: MikroORM, table: 'trade' | 'balance', atLeast: number): Promise<void> {
  const db = orm.em.getKysely<unknown>()
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from ${sql.table(table)}`.execute(db)
  if ((rows[0]?.count ?? 0) < atLeast) throw new Error(`${rows[0]?.count} rows in ${table}`)
  await sql`truncate ${sql.table(table)}`.execute(db)
}

function addressOf(number: number): Address {
  return toAddress(`0x${(number * 2_654_435_761).toString(16).padStart(40, '0')}`)
}

const PRICE: Decimal = parseDecimal('0.00000000123456789012')
const HASH = `0x${'ab'.repeat(32)}` as const

function tradeRow(number: number): TradeRow {
  return {
    token: addressOf(number % 500),
    pool: addressOf(10_000 + (number % 500)),
    phase: 'curve',
    side: number % 2 === 0 ? 'buy' : 'sell',
    maker: addressOf(20_000 + (number % 1_000)),
    amountToken: 10n ** 24n + BigInt(number),
    amountQuote: null,
    feeQuote: null,
    amountWei: 10n ** 16n + BigInt(number),
    feeWei: 10n ** 14n,
    priceWeth: PRICE,
    priceAfterWeth: PRICE,
    poolPrice: null,
    reserveToken: 10n ** 26n + BigInt(number),
    reserveQuote: 10n ** 18n + BigInt(number),
    ethUsd: null,
    priceUsd: null,
    valueUsd: null,
    blockNumber: Math.floor(number / 33),
    blockHash: HASH,
    txHash: HASH,
    txIndex: number % 33,
    logIndex: number % 33,
    timestamp: 1_780_000_000 + Math.floor(number / 33),
  }
}

const NOT_TRADED = {
  buys: 0,
  sells: 0,
  boughtToken: 0n,
  soldToken: 0n,
  boughtWei: 0n,
  boughtUsd: 0n,
  soldWei: 0n,
  soldUsd: 0n,
  costWei: null,
  costUsd: null,
  realizedWei: 0n,
  realizedUsd: 0n,
  firstTradeAt: null,
  lastBuyAt: null,
  lastSellAt: null,
}

function balanceRow(number: number, repeat: number): BalanceRow {
  const place = { token: addressOf(number % 500), holder: addressOf(30_000 + number) }
  return { ...place, ...NOT_TRADED, balance: 10n ** 24n + BigInt(number + repeat), type: 'wallet', lastChangedBlock: repeat }
}

const TRADE_COLUMNS =
  'block_number, log_index, token, pool, phase, side, maker, amount_token, amount_wei, fee_wei, price_weth, price_after_weth, reserve_token, reserve_quote, block_hash, tx_hash, tx_index, timestamp'
const BALANCE_COLUMNS = 'token, holder, balance, type, last_changed_block'

const bytes = (hex: string) => `\\\\x${hex.slice(2)}`

function tradeLine(row: TradeRow): string {
  const price = formatDecimal(PRICE)
  const keys = [row.blockNumber, row.logIndex, bytes(row.token), bytes(row.pool), row.phase, row.side, bytes(row.maker)]
  const amounts = [row.amountToken, row.amountWei, row.feeWei, price, price, row.reserveToken, row.reserveQuote]
  return [...keys, ...amounts, bytes(row.blockHash), bytes(row.txHash), row.txIndex, row.timestamp].join('\t')
}

function balanceLine({ token, holder, balance, type, lastChangedBlock }: BalanceRow): string {
  return [bytes(token), bytes(holder), balance, type, lastChangedBlock].join('\t')
}

async function writeRows(file: string, lines: readonly string[]): Promise<void> {
  await writeFile(file, `${lines.join('\n')}\n`)
}
