import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { createRandom } from '#devchain/traders/random.ts'
import { type Address, ZERO_ADDRESS } from '#domain/address.ts'
import { type Decimal, formatDecimal, formatUnits, multiply, parseDecimal, units } from '#domain/decimal.ts'
import { classesOf } from '#domain/holder.ts'
import type { ClaimCursor, WalletClaim } from '#resources/claimable.ts'
import type { Page } from '#resources/resource.ts'
import { TRADER_SORTS, type Trader, type TraderCursor } from '#resources/traders.ts'
import { HOLDING_SORTS, type Holding, type HoldingCursor } from '#resources/wallet.ts'
import { readClaimable, readClaims } from '#store/reads/claimable.ts'
import { readTraders } from '#store/reads/traders.ts'
import { readHoldings, readWallet } from '#store/reads/wallet.ts'
import { selectList } from '#store/rows/insertRows.ts'
import { BALANCE, type BalanceRow } from '#tables/balance.ts'
import type { StoredRow } from '#tables/columns.ts'
import { TOKEN, type TokenRow } from '#tables/token.ts'
import { useDatabase } from '#test/support/database.ts'
import { createForkingChain } from '#test/support/forkingChain.ts'
import { addressOf } from '#test/support/rows.ts'
import { commitBlocks, openIndex } from '#test/support/simulatedIndex.ts'
import { WETH } from '#test/support/simulatedLaunchpad.ts'

/* Over the tables of an indexed chain, in pages of three. */

const BLOCKS = 160
const LIMIT = 3
const database = await useDatabase()
const { kysely } = database

let balances: readonly BalanceRow[] = []
let tokens: ReadonlyMap<Address, TokenRow> = new Map()

beforeAll(async () => {
  const { chain, mine } = createForkingChain(createRandom(31), 0)
  mine(BLOCKS)
  const index = await openIndex(database, { genesisHash: chain.at(0).header.hash, maxReorgDepth: 0, ethUsd: () => '2000' })
  for (let number = 1; number <= BLOCKS; number += 1) await commitBlocks(index, chain.at(number))
  balances = (await sql<StoredRow<BalanceRow>>`select ${selectList(BALANCE)} from balance`.execute(kysely)).rows.map(BALANCE.decode)
  const stored = await sql<StoredRow<TokenRow>>`select ${selectList(TOKEN)} from token`.execute(kysely)
  tokens = new Map(stored.rows.map(row => [row.address, TOKEN.decode(row)]))
})

type Value = bigint | null

const sumOf = (a: Value, b: Value) => (a === null || b === null ? null : a + b)
const weth = (wei: Value) => (wei === null ? null : formatUnits(wei, 18))
const valueOf = ({ token, balance }: BalanceRow): Decimal | null => {
  const { priceWeth = null, decimals = 0 } = tokens.get(token) ?? {}
  return priceWeth === null ? null : multiply(priceWeth, units(balance, decimals))
}

describe('the traders of a token', () => {
  test.each(TRADER_SORTS)('are paged in the order of %s', async sort => {
    const sorts = {
      realized: (row: BalanceRow) => row.realizedWei,
      volume: (row: BalanceRow) => sumOf(row.boughtWei, row.soldWei),
      bought: (row: BalanceRow) => row.boughtWei,
      sold: (row: BalanceRow) => row.soldWei,
      balance: (row: BalanceRow) => row.balance,
    }
    for (const token of tokens.keys()) {
      const traders = await pagesOf<Trader, TraderCursor>(cursor => readTraders(kysely, { address: token, sort, limit: LIMIT, ...cursor }))
      const rows = balances.filter(row => row.token === token && row.buys + row.sells > 0)
      expect(traders.map(({ address }) => address)).toEqual(inOrder(rows, sorts[sort], ({ holder }) => holder))
    }
  })

  test.each(['creator', 'sniper'] as const)('are paged by class: %s', async wanted => {
    let found = 0
    for (const token of tokens.keys()) {
      const query = { address: token, sort: 'bought' as const, class: wanted, limit: LIMIT }
      const traders = await pagesOf<Trader, TraderCursor>(cursor => readTraders(kysely, { ...query, ...cursor }))
      const rows = balances.filter(row => row.token === token && row.buys + row.sells > 0 && classesOf(row.classes).includes(wanted))
      expect(traders.map(({ address }) => address)).toEqual(
        inOrder(
          rows,
          row => row.boughtWei,
          ({ holder }) => holder,
        ),
      )
      for (const { classes } of traders) expect(classes).toContain(wanted)
      found += traders.length
    }
    expect(found).toBeGreaterThan(0)
  })

  test('have what their rows say, and what it is worth', async () => {
    let known = 0
    for (const token of tokens.keys()) {
      for (const trader of await pagesOf<Trader, TraderCursor>(cursor =>
        readTraders(kysely, { address: token, sort: 'volume', limit: LIMIT, ...cursor }),
      )) {
        const row = balances.find(one => one.token === token && one.holder === trader.address) as BalanceRow
        const value = row.balance < 0n ? null : valueOf(row)
        expect(trader).toMatchObject({
          type: row.type,
          buys: row.buys,
          sells: row.sells,
          balance: row.balance < 0n ? null : String(row.balance),
          boughtToken: String(row.boughtToken),
          soldWeth: weth(row.soldWei),
          boughtUsd: weth(row.boughtUsd),
          volumeWeth: weth(sumOf(row.boughtWei, row.soldWei)),
          costWeth: weth(row.costWei),
          realizedWeth: weth(row.realizedWei),
          realizedUsd: weth(row.realizedUsd),
          valueWeth: value === null ? null : rounded(value),
          unrealizedWeth: value === null || row.costWei === null ? null : rounded(value - units(row.costWei, 18)),
          firstTradeAt: new Date((row.firstTradeAt ?? 0) * 1_000).toISOString(),
        })
        if (trader.averageCostWeth === null || value === null) continue
        const cost = multiply(parseDecimal(trader.averageCostWeth), units(row.balance, 18))
        expect(Number(formatDecimal(cost))).toBeCloseTo(Number(trader.costWeth), 12)
        known++
      }
    }
    expect(known).toBeGreaterThan(5)
  })

  test('are none of a token without trades, and of none that is not indexed', async () => {
    expect(await readTraders(kysely, { address: addressOf(77), sort: 'realized', limit: LIMIT })).toBeNull()
  })
})

/** Values once had up to 60 decimals. */
function rounded(value: bigint): string {
  const half = 5n * 10n ** 41n
  return formatUnits((value < 0n ? value - half : value + half) / 10n ** 42n, 18)
}

describe('a wallet', () => {
  const holders = () => [...new Set(balances.map(({ holder }) => holder))]

  test.each(HOLDING_SORTS)('holds tokens, paged in the order of %s', async sort => {
    const sorts = {
      value: valueOf,
      balance: (row: BalanceRow) => row.balance,
      lastChanged: (row: BalanceRow) => BigInt(row.lastChangedBlock),
    }
    for (const wallet of holders()) {
      const holdings = await pagesOf<Holding, HoldingCursor>(cursor =>
        readHoldings(kysely, { address: wallet, sort, limit: LIMIT, ...cursor }),
      )
      const rows = balances.filter(row => row.holder === wallet && row.balance > 0n)
      expect(holdings.map(({ token }) => token.address)).toEqual(inOrder(rows, sorts[sort], ({ token }) => token))
      for (const { token, balance, valueWeth, lastChangedBlock } of holdings) {
        const row = rows.find(one => one.token === token.address) as BalanceRow
        const value = valueOf(row)
        expect([balance, lastChangedBlock]).toEqual([String(row.balance), String(row.lastChangedBlock)])
        expect(valueWeth).toBe(value === null ? null : rounded(value))
        expect([token.symbol, token.launchpad]).toEqual([tokens.get(token.address)?.symbol, tokens.get(token.address)?.launchpad])
      }
    }
  })

  test('has the totals of its rows', async () => {
    for (const address of holders()) {
      const wallet = await readWallet(kysely, address)
      const rows = balances.filter(({ holder }) => holder === address)
      const traded = rows.filter(({ buys, sells }) => buys + sells > 0)
      const held = rows.filter(({ balance }) => balance > 0n)
      const valued = held.flatMap(row => valueOf(row) ?? [])
      const { rows: made } = await sql<{ count: number; volume: string }>`
        select count(*)::integer as count, coalesce(sum(amount_wei), 0)::text as volume from trade
        where maker = decode(${address.slice(2)}, 'hex')`.execute(kysely)
      const profits = (of: (row: BalanceRow) => Value) => {
        const known = traded.flatMap(row => of(row) ?? [])
        const sum = known.reduce((total, one) => total + one, 0n)
        return { sum: known.length === 0 && traded.length > 0 ? null : weth(sum), without: traded.length - known.length }
      }
      const [inWeth, inUsd] = [profits(row => row.realizedWei), profits(row => row.realizedUsd)]
      expect(wallet).toMatchObject({
        tokensHeld: held.length,
        trades: made[0]?.count,
        tokensTraded: traded.length,
        volumeWeth: weth(BigInt(made[0]?.volume ?? 0)),
        realizedWeth: inWeth.sum,
        realizedUsd: inUsd.sum,
        tokensWithoutWethProfit: inWeth.without,
        tokensWithoutUsdProfit: inUsd.without,
        tokensCreated: [...tokens.values()].filter(({ creator }) => creator === address).length,
        asOfBlock: String(BLOCKS),
      })
      const total = valued.reduce((sum, one) => sum + one, 0n) as Decimal
      expect(wallet.valueWeth === null).toBe(held.length > 0 && valued.length === 0)
      expect(wallet.valueWeth ?? '0').toMatch(/^\d+(\.\d{1,18})?$/)
      expect(Number(wallet.valueWeth)).toBeCloseTo(Number(formatDecimal(total)), 9)
    }
  })

  test('that is not known has done nothing', async () => {
    expect(await readWallet(kysely, addressOf(77))).toMatchObject({
      tokensHeld: 0,
      valueWeth: '0',
      trades: 0,
      volumeWeth: '0',
      realizedWeth: '0',
      tokensCreated: 0,
      firstSeenAt: null,
      lastSeenAt: null,
    })
    expect(await readHoldings(kysely, { address: addressOf(77), sort: 'value', limit: LIMIT })).toMatchObject({ data: [], next: null })
  })

  test('can claim all that its tokens and escrows owe it', async () => {
    const claimCall = (target: object) => ({
      to: addressOf(5),
      data: `0x${Buffer.from(String(Object.values(target))).toString('hex')}` as const,
    })
    const { rows } = await sql<{ creator: Address; token: Address; launchpad: string; currency: Address }>`
      select creator, token, launchpad, currency from creator_fee order by token, launchpad, currency`.execute(kysely)
    let compared = 0
    for (const creator of new Set(rows.map(row => row.creator))) {
      const options = { creator, weth: WETH, claimCall, vestedOf: () => null }
      const claims = await pagesOf<WalletClaim, ClaimCursor>(cursor =>
        readClaims(kysely, { address: creator, limit: LIMIT, ...cursor }, options),
      )
      const keys = claims.map(({ token, launchpad, currency }) => [token ?? ZERO_ADDRESS, launchpad, currency].join())
      const all = rows.filter(row => row.creator === creator).map(({ token, launchpad, currency }) => [token, launchpad, currency].join())
      expect(keys).toEqual(all.filter(key => keys.includes(key)))
      for (const token of new Set(rows.flatMap(row => (row.creator === creator && row.token !== ZERO_ADDRESS ? row.token : [])))) {
        const owed = (await readClaimable(kysely, { token, ...options }))?.claimable.filter(
          ({ scope, amount }) => scope === 'token' && amount !== '0',
        )
        const listed = claims.filter(claim => claim.token === token).map(({ token: _, launchpad: __, asOfBlock: ___, ...amount }) => amount)
        expect(listed.toSorted((a, b) => (a.currency < b.currency ? -1 : 1))).toEqual(
          owed?.toSorted((a, b) => (a.currency < b.currency ? -1 : 1)),
        )
        compared += listed.length
      }
      expect(claims.every(({ amount }) => amount !== '0')).toBe(true)
    }
    expect(compared).toBeGreaterThan(3)
  })
})

/** The pages up to the last one, with the block of each. */
async function pagesOf<T, Cursor>(read: (cursor: { cursor?: Cursor }) => Promise<Page<T, Cursor> | null>): Promise<readonly T[]> {
  const found: T[] = []
  let cursor: Cursor | undefined
  do {
    const page = await read(cursor === undefined ? {} : { cursor })
    if (page === null) throw new Error('not indexed')
    expect(page.asOfBlock).toBe(String(BLOCKS))
    found.push(...page.data)
    cursor = page.next ?? undefined
  } while (cursor !== undefined)
  return found
}

/** The largest first, those without a value last, ties by falling address. */
function inOrder<T>(rows: readonly T[], valueOf: (row: T) => Value, addressOfRow: (row: T) => Address): readonly Address[] {
  const smaller = (a: Value, b: Value) => (a === null ? b !== null : b !== null && a < b)
  return rows
    .toSorted((a, b) => {
      const [of, other] = [valueOf(a), valueOf(b)]
      if (smaller(of, other) || smaller(other, of)) return smaller(of, other) ? 1 : -1
      return addressOfRow(a) < addressOfRow(b) ? 1 : -1
    })
    .map(addressOfRow)
}
