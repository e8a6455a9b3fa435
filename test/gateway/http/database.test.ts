import { expect, test } from 'vitest'
import { endOfBlock, formatPlace } from '#domain/eventPlace.ts'
import { candles } from '#resources/candles.ts'
import { holders } from '#resources/holders.ts'
import type { ListResource } from '#resources/resource.ts'
import type { Token } from '#resources/token.ts'
import { TOKEN_SORTS, type TokenSort, tokens } from '#resources/tokens.ts'
import { trades } from '#resources/trades.ts'
import { readChannelEvents } from '#store/reads/channelEvents.ts'
import { createReads } from '#store/reads/reads.ts'
import { startGateway } from '#test/gateway/startGateway.ts'
import { useDatabase } from '#test/support/database.ts'
import { addressOf, chainStateRow, insertRows, tokenRow, tradeRow } from '#test/support/rows.ts'
import { cursorOf, forgeCursor } from './forgeCursor.ts'

/* HTTP on PostgreSQL: whatever passes the gateway's checks, the database must take too. */

const database = await useDatabase()
const TOKEN = addressOf(1)
/** Of a launchpad. */
const HOSTILE_NAME = "'; drop table token; --\\%_😀"
/** Sorts in whose columns the second token has less than the first. */
const FALLING: ReadonlySet<TokenSort> = new Set(['priceChange5m', 'priceChange1h', 'migratedAt'])

await insertRows(database.kysely, 'chain_state', [chainStateRow()])
await insertRows(database.kysely, 'token', [1, 2, 3].map(risingToken))
await insertRows(
  database.kysely,
  'trade',
  [1, 2, 3].map(n => tradeRow(TOKEN, n, 0)),
)
const reads = createReads({ db: database.kysely, chainId: 31337, weth: addressOf(0x3e7), claimCall: () => null })
const launchpads = [{ name: HOSTILE_NAME, adapter: 'wow', startBlock: 0, contracts: {} }]
const gateway = await startGateway({ reads, config: { launchpads: { weth: addressOf(0x3e7), launchpads } } })

test.for(TOKEN_SORTS)('pages through the tokens by %s with the values that PostgreSQL prints', async sort => {
  for (const [order, expected] of [
    ['asc', [1, 2, 3]],
    ['desc', [3, 2, 1]],
  ] as const) {
    const seen: string[] = []
    let cursor = ''
    for (let pages = 0; pages < 3; pages++) {
      const { data, nextCursor } = await gateway.list<Token>(`/api/tokens?sort=${sort}&order=${order}&limit=1${cursor}`)
      seen.push(...data.map(token => token.address))
      cursor = `&cursor=${nextCursor}`
    }
    expect(cursor).toBe('&cursor=null')
    expect(seen).toEqual((FALLING.has(sort) ? expected.toReversed() : expected).map(addressOf))
  }
})

const LARGEST = String(Number.MAX_SAFE_INTEGER)
const HUNDRED = Array.from({ length: 100 }, (_, n) => addressOf(n)).join(',')

test.for([
  `/api/tokens?addresses=${HUNDRED}&limit=100`,
  `/api/tokens?launchpad=${encodeURIComponent(HOSTILE_NAME)}`,
  `/api/tokens/${TOKEN}/trades?fromBlock=0&toBlock=${LARGEST}&limit=500`,
  `/api/tokens/${TOKEN}/trades?fromBlock=${LARGEST}`,
  `/api/tokens/${TOKEN}/holders?excludeType=wallet,creator,pool,curve,locker,burn,contract&limit=500`,
  `/api/tokens/${TOKEN}/candles?from=0&to=253402300799&fill=true&limit=1500&interval=1d`,
  `/api/tokens/${TOKEN}/candles?from=253402300799&fill=true`,
  `/api/tokens/${TOKEN}/candles?to=0&fill=true&currency=usd`,
  `/api/tokens/${TOKEN}/claimable?creator=${TOKEN}`,
  `/api/search?q=${encodeURIComponent('%_\\\'"😀'.repeat(10))}&limit=50`,
  '/api/search?q=0x0000000000000000000000000000000000000000',
  '/api/search?q=0xabcde',
  `/api/search?q=${encodeURIComponent('\u{10ffff}\u202e')}`,
  '/api/chain-stats',
  '/api/indexer/health',
])('the database takes %s', async path => {
  expect((await gateway.get(path)).status).toBe(200)
})

/** The most extreme cursors that the gateway accepts. */
const MAX_DECIMAL = `-${'9'.repeat(120)}.${'9'.repeat(120)}`
const FORGED: readonly (readonly [
  name: string,
  path: string,
  list: ListResource,
  query: object,
  fields: readonly (string | number | null)[],
])[] = [
  ...TOKEN_SORTS.flatMap(sort =>
    ['0', null, ...(sort.startsWith('priceChange') || sort === 'graduation' ? ['-1.7976931348623157e+308', '5e-324', '-0.0e9'] : [])]
      .concat(['marketCap', 'volume5m', 'volume1h', 'volume24h', 'liquidity'].includes(sort) ? [MAX_DECIMAL.slice(0, 160)] : [])
      .concat(['holders', 'trades5m', 'trades1h', 'trades24h', 'trending'].includes(sort) ? ['2147483647'] : [])
      .concat(['createdAt', 'lastTradeAt', 'migratedAt'].includes(sort) ? ['253402300799'] : [])
      .map(value => [`${sort} ${value}`, `/api/tokens?sort=${sort}`, tokens as never, { sort, order: 'desc' }, [value, TOKEN]] as const),
  ),
  [
    'a trade',
    `/api/tokens/${TOKEN}/trades?`,
    trades,
    { address: TOKEN, order: 'desc' },
    [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  ],
  ['a holder', `/api/tokens/${TOKEN}/holders?`, holders, { address: TOKEN, excludeType: [] }, ['9'.repeat(78), TOKEN, 2_147_483_647]],
  ...[0, 253_402_300_799].flatMap(time =>
    [false, true].map(
      fill =>
        [
          `a candle at ${time}`,
          `/api/tokens/${TOKEN}/candles?fill=${fill}`,
          candles as never,
          { address: TOKEN, interval: '1m', of: 'price', currency: 'weth', fill },
          [time],
        ] as const,
    ),
  ),
]

test.for(FORGED)('the database takes a forged cursor: %s', async ([, path, resource, query, fields]) => {
  const forged = forgeCursor(cursorOf(resource, query), fields, { id: resource.id, chainId: 8453, query })
  const { data } = await gateway.list<Token>(`${path}&cursor=${forged}`)
  expect(data).toBeInstanceOf(Array)
})

// Stored in 32 bits: such a log stopped indexing, and its place could not be sent back.
test('trades with log indexes past 32 bits are stored, paged through and resumed after', async () => {
  const token = addressOf(9)
  await insertRows(database.kysely, 'token', [tokenRow(9)])
  const indexes = [0xffff_ffe2, 0xffff_ffe3, Number.MAX_SAFE_INTEGER]
  await insertRows(
    database.kysely,
    'trade',
    indexes.map(index => ({ ...tradeRow(token, 5, index), tx_index: index })),
  )
  const ids = indexes.map(index => `5-${index}`)
  const tradesAt = async (path: string) => {
    const response = await gateway.get(path)
    expect(response.status).toBe(200)
    return (await response.json()) as { data: { id: string; logIndex: number; txIndex: number }[]; nextCursor: string | null }
  }
  for (const path of [`/api/tokens/${token}/trades?order=asc`, `/api/trades?tokens=${token}&order=asc`]) {
    const first = await tradesAt(`${path}&limit=1`)
    expect(first.data).toMatchObject([{ id: ids[0], logIndex: indexes[0], txIndex: indexes[0] }])
    expect((await tradesAt(`${path}&cursor=${first.nextCursor}`)).data.map(({ id }) => id)).toEqual(ids.slice(1))
  }
  expect((await tradesAt(`/api/trades?tokens=${token}&order=asc&after=${ids[1]}`)).data.map(({ id }) => id)).toEqual(ids.slice(2))
  const after = { place: { blockNumber: 5, logIndex: indexes[1] ?? 0 }, reorgs: 0 }
  const { events } = await readChannelEvents(database.kysely, { channel: 'trades', after, through: endOfBlock(5), limit: 10 }, 8453)
  expect(events.map(({ place }) => formatPlace(place))).toEqual(ids.slice(2))
})

/** Has more than the token before it by every sort but the falling ones. */
function risingToken(n: number) {
  return tokenRow(n, {
    market_cap_weth: `${n}.5`,
    price_change_h24: n / 1e9,
    graduation_percent: n * 1e-7,
    last_trade_at: 1_700_000_000 + n,
    liquidity_weth: `0.${'0'.repeat(50)}${n}`,
    price_change_m5: -n,
    price_change_h1: -n / 3,
    migrated_at: 1_800_000_000 - n,
    buyers_h1: n,
    volume_m5: `${n}`,
    sells_m5: n,
    buys_h1: n,
    volume_h24: `${n}${'0'.repeat(60)}`,
    holder_count: n,
    buys_h24: n,
    created_at: 1_700_000_000 + n,
  })
}
