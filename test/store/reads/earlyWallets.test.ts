import { beforeAll, expect, test } from 'vitest'
import { readEarlyWallets, readHolders } from '#store/reads/holders.ts'
import { readSnapshots } from '#store/reads/snapshots.ts'
import { readTraders } from '#store/reads/traders.ts'
import { useDatabase } from '#test/support/database.ts'
import { plansOf } from '#test/support/explain.ts'
import { addressOf, chainStateRow, insertRows, tokenRow } from '#test/support/rows.ts'

const { kysely } = await useDatabase()
const [TOKEN, OLD, NEW] = [addressOf(1), addressOf(2), addressOf(3)]
/** More early traders than a page of one class looks at. */
const CROWD = 2_500
const SNIPER = 9_000

beforeAll(async () => {
  await insertRows(kysely, 'chain_state', [chainStateRow()])
  const held = { total_supply: '1000000', creator_held: '31000', sniper_held: '24000', bundler_held: '0', insider_held: '8333' }
  await insertRows(kysely, 'token', [tokenRow(1, held)])
  await insertRows(kysely, 'token', [tokenRow(2)])
  await insertRows(kysely, 'token', [tokenRow(3, { creator_held: '0', sniper_held: '0', bundler_held: '0', insider_held: '0' })])
  const early = { token: TOKEN, wallets: 12, bought_token: '91000', sold_token: '1067000' }
  await insertRows(kysely, 'early_class', [{ ...early, class: 'sniper' }])
  const crowd = Array.from({ length: CROWD }, (_, n) => ({ holder: addressOf(0x1000 + n), balance: String(10_000 - n), classes: 8 }))
  const rows = [...crowd, { holder: addressOf(SNIPER), balance: '1', classes: 10 }, { holder: addressOf(5), balance: '90000', classes: 0 }]
  const traded = { buys: 1, bought_wei: '5', sold_wei: '0', realized_wei: '0', first_trade_at: 1_700_000_000 }
  await insertRows(
    kysely,
    'balance',
    [...rows.map(row => ({ token: TOKEN, ...row })), { token: OLD, holder: addressOf(5), balance: '3', classes: 0 }].map(row => ({
      ...row,
      ...traded,
      type: 'wallet',
      last_changed_block: 7,
    })),
  )
})

test('of a token are summed by class, with the creator though it never had a token', async () => {
  expect(await readEarlyWallets(kysely, TOKEN)).toEqual({
    token: TOKEN,
    asOfBlock: '456',
    classes: [
      { class: 'creator', wallets: 1, boughtPercent: 0, heldPercent: 3.1, soldPercent: 0 },
      { class: 'sniper', wallets: 12, boughtPercent: 9.1, heldPercent: 2.4, soldPercent: 106.7 },
      { class: 'bundler', wallets: 0, boughtPercent: 0, heldPercent: 0, soldPercent: 0 },
      { class: 'insider', wallets: 0, boughtPercent: 0, heldPercent: 0.8333, soldPercent: 0 },
    ],
  })
  expect((await readEarlyWallets(kysely, NEW))?.classes.map(({ wallets }) => wallets)).toEqual([1, 0, 0, 0])
  expect(await readEarlyWallets(kysely, addressOf(4))).toBeNull()
})

test('of a token that an earlier version has indexed are not known', async () => {
  const { classes = [] } = (await readEarlyWallets(kysely, OLD)) ?? {}
  expect(classes).toHaveLength(4)
  for (const { class: _, ...numbers } of classes) expect(new Set(Object.values(numbers))).toEqual(new Set([null]))
  const holders = await readHolders(kysely, { address: OLD, excludeType: [], limit: 5 })
  const traders = await readTraders(kysely, { address: OLD, sort: 'balance', limit: 5 })
  expect([...(holders?.data ?? []), ...(traders?.data ?? [])].map(({ classes: known }) => known)).toEqual([null, null])
})

test('are named with holders, in updates too, and with traders', async () => {
  const holders = await readHolders(kysely, { address: TOKEN, excludeType: [], limit: 2 })
  expect(holders?.data.map(({ classes }) => classes)).toEqual([[], ['insider']])
  const traders = await readTraders(kysely, { address: TOKEN, sort: 'balance', limit: 2 })
  expect(traders?.data.map(({ classes }) => classes)).toEqual([[], ['insider']])
  const [snapshot] = await readSnapshots(kysely, { chainId: 1, addresses: [TOKEN] })
  expect(snapshot?.holders.slice(0, 2).map(({ classes }) => classes)).toEqual([[], ['insider']])
})

// A creator can make any number of accounts insiders, and any of them may trade.
test('of one class are found among very many of another one, at a bounded cost per page', async () => {
  const query = { address: TOKEN, sort: 'balance', class: 'sniper', limit: 50 } as const
  const first = await readTraders(kysely, query)
  expect(first?.data).toEqual([])
  const second = await readTraders(kysely, { ...query, ...(first?.next && { cursor: first.next }) })
  expect([second?.data.map(({ address }) => address), second?.next]).toEqual([[addressOf(SNIPER)], null])
  const plans = await plansOf(kysely, db => readTraders(db, query))
  expect(JSON.stringify(plans)).toContain('early_trader_by_balance')
})
