import { sql } from 'kysely'
import { encodeAbiParameters, toFunctionSelector, toHex } from 'viem'
import { beforeEach, expect, test } from 'vitest'
import type { Address } from '#domain/address.ts'
import { createCurrencyReader } from '#jobs/currencyReader.ts'
import type { CommittedBlock } from '#resources/committedBlock.ts'
import { RpcError } from '#rpc/rpcFault.ts'
import { createTransaction } from '#store/connection/transaction.ts'
import { readToken } from '#store/reads/tokens.ts'
import { silentLogger, useDatabase } from '#test/support/database.ts'
import { addressOf, chainStateRow, insertRows, poolRow, tokenRow, wordOf } from '#test/support/rows.ts'

const database = await useDatabase()
const { kysely } = database
const DOLLAR = addressOf(0xd0)
const LIAR = addressOf(0xd1)
const BLOCK = { number: 456, hash: wordOf(456), tokens: [], unread: [] }

beforeEach(async () => {
  await database.clear()
  await insertRows(kysely, 'chain_state', [chainStateRow({ writer: 'test' })])
  await insertRows(
    kysely,
    'token',
    [1, 2, 3].map(n => tokenRow(n, { main_pool: wordOf(n), price_quote: '0.0000000000025' })),
  )
  await insertRows(kysely, 'pool', [
    poolRow(1, 1, { quote_token: DOLLAR }),
    poolRow(2, 2, { quote_token: LIAR }),
    poolRow(3, 3, { quote_token: addressOf(0xe7) }),
  ])
  await insertRows(kysely, 'currency', [
    { address: DOLLAR, symbol: null, decimals: null, is_read: false },
    { address: LIAR, symbol: null, decimals: null, is_read: false },
    { address: addressOf(0xe7), symbol: 'WETH', decimals: 18, is_read: true },
  ])
})

const shown = async (n: number) => {
  const token = await readToken(kysely, addressOf(n), 1)
  return [token?.pool?.quoteSymbol, token?.pool?.quoteDecimals, token?.market.priceQuote]
}

test('a new currency is asked once for its name and decimals, and its tokens get a new sequence', async () => {
  const { committed, settled, asked, told, stop } = reader()
  const before = await readToken(kysely, addressOf(1), 1)
  expect(await shown(1)).toEqual([null, null, null])
  committed(BLOCK)
  await settled()
  expect(await shown(1)).toEqual(['USDX', 6, '2.5'])
  expect(await shown(2)).toEqual([null, null, null])
  expect(await shown(3)).toEqual(['WETH', 18, '0.0000000000025'])
  expect(told.map(({ unread }) => [...unread].toSorted())).toEqual([[addressOf(1)]])
  expect((await readToken(kysely, addressOf(1), 1))?.sequence).toBeGreaterThan(before?.sequence ?? Number.NaN)
  committed({ ...BLOCK, number: 457 })
  await settled()
  expect(asked.toSorted()).toEqual([DOLLAR, DOLLAR, LIAR, LIAR])
  await stop()
})

// A contract outside the index that changed its symbol kept the old one until the index was built anew.
test('a currency that is no indexed token is read again after a day, and only other names give its tokens a new sequence', async () => {
  const { committed, settled, asked, told, state, stop } = reader()
  committed(BLOCK)
  await settled()
  await insertRows(kysely, 'token', [tokenRow(4, { address: LIAR })])
  const dayLater = async (number: number) => {
    await sql`update currency set read_again_at_ms = read_again_at_ms - 86400001`.execute(kysely)
    asked.length = 0
    told.length = 0
    committed({ ...BLOCK, number })
    await settled()
    return [asked.toSorted(), told.flatMap(({ unread }) => unread)]
  }
  expect(await dayLater(457)).toEqual([[DOLLAR, DOLLAR, LIAR, LIAR], []])
  state.symbol = 'USDY'
  // The names of an indexed token follow its events.
  expect(await dayLater(458)).toEqual([[DOLLAR, DOLLAR], [addressOf(1)]])
  expect(await shown(1)).toEqual(['USDY', 6, '2.5'])
  expect((await shown(2))[0]).toBe('T4')
  await stop()
})

test('while no provider answers nothing is known, and it is asked again', async () => {
  const { committed, settled, told, state, stop } = reader()
  state.isAway = true
  committed(BLOCK)
  await settled()
  expect(told).toEqual([])
  expect((await sql`select from currency where is_read`.execute(kysely)).rows).toHaveLength(1)
  state.isAway = false
  committed({ ...BLOCK, number: 457 })
  await settled()
  expect(await shown(1)).toEqual(['USDX', 6, '2.5'])
  await stop()
})

function reader() {
  const asked: Address[] = []
  const told: CommittedBlock[] = []
  const state = { isAway: false, symbol: 'USDX' }
  const request = async ({ params }: { readonly params?: readonly unknown[] }) => {
    const [{ to, data }] = params as readonly [{ readonly to: Address; readonly data: string }]
    asked.push(to)
    if (state.isAway) throw new RpcError({ kind: 'network' })
    if (to === LIAR) throw new RpcError({ kind: 'rejected', code: 3, text: 'execution reverted' })
    return data === toFunctionSelector('decimals()') ? toHex(6n, { size: 32 }) : encodeAbiParameters([{ type: 'string' }], [state.symbol])
  }
  const job = createCurrencyReader({
    rpc: { request } as Parameters<typeof createCurrencyReader>[0]['rpc'],
    db: kysely,
    transaction: createTransaction(database.orm),
    writer: 'test',
    now: () => 0,
    logger: silentLogger,
  })
  job.updates.subscribe(block => told.push(block))
  return { ...job, asked, told, state }
}
