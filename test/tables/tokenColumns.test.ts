import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { sql } from 'kysely'
import { describe, expect, test, vi } from 'vitest'
import type { BlockHeader } from '#domain/block.ts'
import { type Decimal, parseDecimal } from '#domain/decimal.ts'
import { launchedToken } from '#index/project/draft.ts'
import { commitBatch, type NextBatch } from '#store/commit.ts'
import { createTransaction } from '#store/connection/transaction.ts'
import { MAIN_POOL, SELECTED_TOKEN } from '#store/reads/toToken.ts'
import { claimDatabase } from '#store/rows/cursor.ts'
import { loadRows } from '#store/rows/loadRows.ts'
import { undoBlocks } from '#store/rows/undo.ts'
import type { Table } from '#tables/columns.ts'
import type * as Tokens from '#tables/token.ts'
import { FULL_TOKEN, type TokenRow } from '#tables/token.ts'
import { useDatabase } from '#test/support/database.ts'
import { NO_CHANGES } from '#test/support/noChanges.ts'
import { addressOf, wordOf } from '#test/support/rows.ts'

/** Everything else of the store is as in production and knows nothing of this column. */
const ADDED = vi.hoisted(() => 'lowestPriceWeth' as const)

vi.mock('#tables/token.ts', async importOriginal => {
  const original = await importOriginal<typeof Tokens>()
  // Imports of the file are not there yet.
  const [{ defineEntity }, { column }, { tableOf }] = await Promise.all([
    import('@mikro-orm/core'),
    import('#tables/columns.ts'),
    import('#tables/columns.ts'),
  ])
  const { meta } = defineEntity({ name: 'Added', tableName: 'token', properties: { [ADDED]: column.decimal().strictNullable() } })
  const properties = { ...original.TokenEntity.meta.properties, ...meta.properties }
  const extended = ({ columns }: Pick<Table<never>, 'columns'>) => {
    const fields = [...columns.map(({ field }) => field), ADDED]
    const { life } = original.TokenEntity
    return tableOf({ meta: { tableName: 'token', properties }, life }, Object.fromEntries(fields.map(field => [field, null])))
  }
  const { TOKEN, WRITTEN_TOKEN, FULL_TOKEN: full } = original
  return { ...original, TOKEN: extended(TOKEN), WRITTEN_TOKEN: extended(WRITTEN_TOKEN), FULL_TOKEN: extended(full) }
})

const database = await useDatabase()
const db = database.kysely
await sql`alter table token add column lowest_price_weth numeric`.execute(db)

type Row = TokenRow & { readonly [ADDED]: Decimal | null }

const TOKEN = addressOf(1)
const headerOf = (number: number): BlockHeader => ({ number, hash: wordOf(number), parentHash: wordOf(number - 1), timestamp: number })

/** As lists, tokens and updates read it. */
async function read(): Promise<unknown> {
  const { rows } = await sql<{ readonly [ADDED]: unknown }>`select ${SELECTED_TOKEN} from token ${MAIN_POOL}`.execute(db)
  return rows[0]?.[ADDED]
}

test('a column that only the entity and a migration describe is written, merged, loaded, read and undone', async () => {
  await claimDatabase(db, { chainId: 1, genesisHash: wordOf(0), weth: addressOf(9), launchpads: [] }, 'test')
  const transaction = createTransaction(database.orm)
  const options = { transaction, writer: 'test', maxReorgDepth: 8, chainId: 1, isWatched: () => true, now: () => 0 }
  const launched = launchedToken({
    kind: 'launch',
    token: TOKEN,
    launchpad: 'test',
    creator: addressOf(2),
    symbol: 'ALP',
    name: 'Alpha',
    decimals: 18,
    metadataUri: null,
    creatorFeeBps: null,
    feesReported: { accrued: false, claimed: false },
    graduation: { status: 'none', target: null },
    blockNumber: 1,
    blockHash: wordOf(1),
    timestamp: 1,
    txHash: wordOf(7),
    txIndex: 0,
    logIndex: 0,
  })
  const first: Row = { ...launched, [ADDED]: parseDecimal('1.5') }
  await commitBatch(batchOf(1, first, new Map()), options)
  expect(await load()).toEqual(first)
  expect(await read()).toBe('1.5')

  const second: Row = { ...first, [ADDED]: parseDecimal('0.25') }
  const batch = batchOf(2, second, new Map([[TOKEN, first]]))
  expect(await load(batch)).toEqual(second)
  await commitBatch(batch, options)
  expect(await load()).toEqual(second)
  expect(await read()).toBe('0.25')

  await database.orm.em
    .getKysely<unknown>()
    .transaction()
    .execute(undoing => undoBlocks(undoing, 1, Date.now()))
  expect(await load()).toEqual(first)
})

describe('the columns of a token', () => {
  /** Where a column is described, and client and console, which show it. */
  const DESCRIPTIONS =
    /^src\/(?:tables\/token\.ts|store\/migrations\/|store\/views\/|index\/project\/|store\/reads\/toToken\.ts|domain\/(?:token|windows)\.ts|resources\/|protocol\/schemas\/|client\/|console\/)/
  /** Names that also mean something else, or that queries search, sort or add up by. */
  const NAMED_ELSEWHERE = new Set(
    [
      'address launchpad symbol name decimals totalSupply creator createdBlock metadataUri creatorFeeBps priceWeth target sequence',
      'updatedAtMs imageUrl description asOfBlock raised completedAt migratedAt',
      // Of documents, and of events.
      'imageUri admin links',
      // Of claims.
      'vestingClaimed vestingEndsAt',
      // Of lists, searches and totals.
      'createdAt marketCapWeth liquidityWeth holderCount lastTradeAt volumeM5 volumeH1 volumeH24 buysH24 sellsH24 tradesM5 tradesH1 tradesH24',
      'priceChangeM5 priceChangeH1 priceChangeH24 graduationStatus graduationPercent trending',
      // Of candles.
      'closeUsd lastPriceAt mainPool',
      // Of tickers.
      'priceQuote',
      // Of pools, pegs and revaluations.
      'quoteToken quoteUsd eventPriceWeth graduatedPool',
      // Of the lines of a day's prices.
      'firstPriceWeth referencePriceH24',
      // Of early wallets, and of launches.
      'openedAt creatorHeld sniperHeld bundlerHeld insiderHeld surface',
      // Of the ageing of windows.
      'windowsAt windowsExpireAt',
    ].flatMap(names => names.split(' ')),
  )
  const original = FULL_TOKEN.columns.filter(({ field }) => field !== ADDED)
  const checked = original.filter(({ field }) => !NAMED_ELSEWHERE.has(field))

  test('are named in no other file, unless a query needs their name', async () => {
    expect(checked.length).toBeGreaterThan(20)
    const named: string[] = []
    for (const folder of ['src', 'actors']) {
      for (const entry of await readdir(folder, { recursive: true })) {
        const file = path.join(folder, entry)
        if (!/\.tsx?$/.test(file) || DESCRIPTIONS.test(file)) continue
        const words = new Set((await readFile(file, 'utf8')).match(/\w+/g))
        for (const { field, name } of checked) if (words.has(field) || words.has(name)) named.push(`${file}: ${field}`)
      }
    }
    expect(named, 'another meaning of the name belongs in NAMED_ELSEWHERE').toEqual([])
  })

  test('have no exception that is gone', () => {
    const fields = new Set(original.map(({ field }) => field))
    expect([...NAMED_ELSEWHERE].filter(field => !fields.has(field))).toEqual([])
  })
})

function batchOf(number: number, row: Row, tokens: NextBatch['before']['tokens']): NextBatch {
  const to = headerOf(number)
  const changes = { ...NO_CHANGES, tokens: [row] }
  const before = { tokens, balances: new Map() }
  return {
    mode: 'live',
    from: number,
    first: to,
    to,
    blocks: [to],
    follows: number === 1 ? null : to.parentHash,
    before,
    changes,
    contracts: [],
    revaluedTo: null,
  }
}

async function load(pending: NextBatch | null = null): Promise<Row | undefined> {
  const keys = { tokens: [TOKEN], currencies: [], ticks: [], balances: [], creatorFees: [] }
  const { tokens } = await loadRows(db, keys, { now: 9, expired: false, pending, weth: addressOf(0xe7) })
  return tokens.get(TOKEN) as Row | undefined
}
