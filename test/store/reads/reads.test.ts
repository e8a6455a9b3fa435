import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { sql } from 'kysely'
import { afterEach, describe, expect, test } from 'vitest'
import type { Reads } from '#resources/reads.ts'
import { toDatabaseError } from '#store/connection/databaseErrors.ts'
import { createReads, type ReadsOptions } from '#store/reads/reads.ts'
import { administer, databaseUrl, openOrm, useDatabase } from '#test/support/database.ts'
import { freePort } from '#test/support/freePort.ts'
import { addressOf, chainStateRow, insertRows, poolRow, tokenRow, wordOf } from '#test/support/rows.ts'

const database = await useDatabase()
const TOKEN = addressOf(1)
const PAIR = wordOf(9)
const options = { chainId: 31337, weth: addressOf(0x3e7), claimCall: () => null }
const closers: (() => Promise<unknown>)[] = []

afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

const calls: Readonly<Record<keyof Reads, (reads: Reads) => Promise<unknown>>> = {
  tokens: reads => reads.tokens({ sort: 'createdAt', order: 'desc', limit: 5 }),
  tokenCount: reads => reads.tokenCount({ sort: 'createdAt', order: 'desc', limit: 5 }),
  token: reads => reads.token({ address: TOKEN }),
  trades: reads => reads.trades({ address: TOKEN, order: 'desc', limit: 5 }),
  holders: reads => reads.holders({ address: TOKEN, excludeType: [], limit: 5 }),
  candles: reads => reads.candles({ address: TOKEN, interval: '1m', of: 'price', currency: 'weth', fill: false, limit: 5 }),
  candleSeries: reads => reads.candleSeries({ tokens: [TOKEN], interval: '1m', of: 'price', currency: 'weth', limit: 5 }),
  sparklines: reads => reads.sparklines({ tokens: [TOKEN], limit: 1 }),
  claimable: reads => reads.claimable({ address: TOKEN, creator: addressOf(2) }),
  search: reads => reads.search({ q: 'T1', limit: 5 }),
  chainStats: reads => reads.chainStats(),
  marketTrades: reads => reads.marketTrades({ order: 'desc', limit: 5 }),
  channelEvents: reads => reads.channelEvents({ channel: 'trades', after: null, through: null, limit: 5 }),
  supply: reads => reads.supply(TOKEN),
  distribution: reads => reads.distribution({ address: TOKEN }),
  earlyWallets: reads => reads.earlyWallets({ address: TOKEN }),
  walletTrades: reads => reads.walletTrades({ address: addressOf(2), order: 'desc', limit: 5 }),
  launchpads: reads => reads.launchpads(),
  traders: reads => reads.traders({ address: TOKEN, sort: 'realized', limit: 5 }),
  leaders: reads => reads.leaders({ window: 'all', sort: 'realized', limit: 5 }),
  wallet: reads => reads.wallet({ address: addressOf(2) }),
  holdings: reads => reads.holdings({ address: addressOf(2), sort: 'value', limit: 5 }),
  claims: reads => reads.claims({ address: addressOf(2), limit: 5 }),
  finality: reads => reads.finality(),
  pairEvents: reads => reads.pairEvents('wow', { fromBlock: 1, toBlock: 9 }, 10),
  pair: reads => reads.pair(PAIR),
  asset: reads => reads.asset(TOKEN),
  dayTotals: reads => reads.dayTotals([TOKEN]),
  block: reads => reads.block({ number: 456 }),
  holdersFrom: reads => reads.holdersFrom(TOKEN, 0, 10),
  ping: reads => reads.ping(),
}
const names = Object.keys(calls) as (keyof Reads)[]

describe('reads', () => {
  test('answer from the database', async () => {
    await insertRows(database.kysely, 'chain_state', [chainStateRow()])
    await insertRows(database.kysely, 'token', [tokenRow(1)])
    await insertRows(database.kysely, 'block', [{ number: 456, hash: wordOf(456), parent_hash: wordOf(455), timestamp: 1_700_086_400 }])
    await insertRows(database.kysely, 'leader_window', [{ period: 'all', after_block: -1, to_block: 456 }])
    await insertRows(database.kysely, 'pool', [poolRow(9, 1)])
    await insertRows(database.kysely, 'pool_creation', [
      { pool: PAIR, block_number: 3, log_index: 0, tx_hash: wordOf(3), tx_index: 0, timestamp: 1_700_000_006 },
    ])
    const reads = createReads({ ...options, db: database.kysely, now: steppingClock(7) })
    const answers = await Promise.all(names.map(name => calls[name](reads)))
    expect(answers.every(answer => answer !== null)).toBe(true)
    expect((await reads.tokens({ sort: 'createdAt', order: 'desc', limit: 5 })).data.map(token => token.chainId)).toEqual([31337])
    expect(await reads.ping()).toBe(7)
  })

  test.each(names)('say that the database is unavailable when nothing listens: %s', async name => {
    const url = new URL(database.url)
    url.port = String(await freePort())
    const failure = await calls[name](readsOf(url.href)).catch((error: unknown) => error)
    expect(failure).toMatchObject({ name: 'TokenwireError', code: 'database_unavailable', retryable: true })
    expect(JSON.stringify(failure) + String(failure)).not.toContain(url.password)
  })

  test('say so when their connection is cut, and work again afterwards', async () => {
    const name = new URL(database.url).pathname.slice(1)
    const orm = openOrm(database.url, { poolSize: 1 })
    const reads = createReads({ ...options, db: orm.em.getKysely() })
    const cut = sql`select pg_sleep(60)`.execute(orm.em.getKysely()).catch(toDatabaseError)
    const sleeping = sql`select from pg_stat_activity
      where datname = current_database() and query = 'select pg_sleep(60)' and state = 'active'`
    await expect.poll(async () => (await sleeping.execute(database.kysely)).rows.length).toBe(1)
    await administer(sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`)
    expect(await cut).toMatchObject({ code: 'database_unavailable', retryable: true, details: { reason: '57P01' } })
    await expect.poll(() => reads.ping().then(Number.isFinite, () => false)).toBe(true)
  })

  test('give up on a server that accepts and never answers', async () => {
    const sockets: Socket[] = []
    const server = createServer(socket => sockets.push(socket))
    const url = new URL(databaseUrl('postgres'))
    url.port = String(await listen(server))
    closers.push(async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    })
    await expect(readsOf(url.href, { timeoutMs: 50 }).ping()).rejects.toMatchObject({
      code: 'database_unavailable',
      details: { timeoutMs: 50 },
    })
  })

  test('do not call a defect of a statement an outage', async () => {
    const withoutTables = readsOf(databaseUrl('postgres'))
    await expect(withoutTables.token({ address: TOKEN })).rejects.toMatchObject({ code: '42P01' })
  })
})

function steppingClock(step: number): () => number {
  let now = 0
  return () => (now += step)
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

function readsOf(url: string, more: Partial<ReadsOptions> = {}): Reads {
  return createReads({ ...options, db: openOrm(url, { poolSize: 2 }).em.getKysely(), ...more })
}
