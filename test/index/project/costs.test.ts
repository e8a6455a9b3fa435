import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Address, type Hex, ZERO_ADDRESS } from '#domain/address.ts'
import { type Decimal, ONE, parseDecimal } from '#domain/decimal.ts'
import { project } from '#index/project/project.ts'
import { valuationOf } from '#index/project/values.ts'
import type { TokenEvent } from '#launchpads/tokenEvent.ts'
import type { BalanceRow } from '#tables/balance.ts'
import { balanceIn, type CountedTransaction, countCosts } from '#test/support/countCosts.ts'
import { memoryRows } from '#test/support/memoryRows.ts'
import { addressOf } from '#test/support/rows.ts'

const WETH = addressOf(0xeee)
const TOKEN = addressOf(1)
const CURVE = addressOf(0x1000)
const WALLETS = [addressOf(0x10), addressOf(0x11), addressOf(0x12)]
const ETHER = 10n ** 18n

type Transaction = CountedTransaction<Decimal | null>
type Step = Transaction['steps'][number]

const buy = (maker: Address, amount: bigint, wei: bigint): Step => ({ side: 'buy', maker, amount, wei })
const sell = (maker: Address, amount: bigint, wei: bigint): Step => ({ side: 'sell', maker, amount, wei })
const send = (from: Address, to: Address, amount: bigint): Step => ({ from, to, amount })
/** A trade with its transfer. */
const bought = (maker: Address, amount: bigint, wei: bigint) => [send(CURVE, maker, amount), buy(maker, amount, wei)]
const sold = (maker: Address, amount: bigint, wei: bigint) => [send(maker, CURVE, amount), sell(maker, amount, wei)]

const LAUNCH: readonly TokenEvent[] = [
  {
    ...positionOf(1, 0),
    kind: 'launch',
    launchpad: 'test',
    creator: addressOf(0xc0),
    symbol: 'T',
    name: 'Token',
    decimals: 18,
    metadataUri: null,
    creatorFeeBps: null,
    feesReported: { accrued: false, claimed: false },
    graduation: { status: 'bonding', target: null },
  },
  {
    ...positionOf(1, 1),
    kind: 'poolCreated',
    main: true,
    pool: { address: CURVE, type: 'curve', quoteToken: WETH, tokenIsToken0: true, feeBps: null },
  },
  { ...positionOf(1, 2), kind: 'transfer', from: ZERO_ADDRESS, to: CURVE, amount: 10n ** 27n },
]

const costsOf = (transactions: readonly (readonly Step[])[], wallet = WALLETS[0] as Address) =>
  indexed(transactions.map(steps => ({ price: parseDecimal('2000'), steps }))).get(wallet)

describe('what a balance cost and its sales earned', () => {
  const [A, B, C] = WALLETS as [Address, Address, Address]

  test('goes by average price, in WETH and USD', () => {
    const row = costsOf([bought(A, 100n, 1n * ETHER), bought(A, 100n, 3n * ETHER), sold(A, 50n, 2n * ETHER)])
    expect(row).toMatchObject({ buys: 2, sells: 1, boughtToken: 200n, soldToken: 50n, boughtWei: 4n * ETHER, soldWei: 2n * ETHER })
    expect(row).toMatchObject({ costWei: 3n * ETHER, realizedWei: 1n * ETHER, costUsd: 6_000n * ETHER, realizedUsd: 2_000n * ETHER })
  })

  test('sends its share of the cost away with a transfer', () => {
    const row = costsOf([bought(A, 100n, ETHER), [send(A, B, 25n)], sold(A, 75n, ETHER)])
    expect(row).toMatchObject({ costWei: 0n, realizedWei: ETHER / 4n })
  })

  test('is not known from a transfer in until nothing is left, and what was sold meanwhile stays unknown', () => {
    const gift = [bought(B, 10n, ETHER), bought(A, 10n, ETHER), [send(B, A, 1n)]]
    expect(costsOf(gift)).toMatchObject({ costWei: null, costUsd: null, realizedWei: 0n })
    expect(costsOf([...gift, bought(A, 5n, ETHER)])).toMatchObject({ costWei: null, realizedWei: 0n })
    expect(costsOf([...gift, [send(A, B, 11n)], bought(A, 5n, ETHER)])).toMatchObject({ costWei: ETHER, realizedWei: 0n })
    expect(costsOf([...gift, sold(A, 11n, ETHER), bought(A, 5n, ETHER)])).toMatchObject({ costWei: ETHER, realizedWei: null })
  })

  test('takes the transfers of a trade for the trade’s, whichever way they go', () => {
    // By way of a router, after the trade, which keeps a part of the tokens.
    const routed = [buy(A, 100n, ETHER), send(CURVE, C, 100n), send(C, A, 90n)]
    expect(costsOf([routed])).toMatchObject({ balance: 90n, costWei: (ETHER * 90n) / 100n, realizedWei: 0n })
    const back = [send(A, C, 90n), send(C, CURVE, 90n), sell(A, 90n, 2n * ETHER)]
    expect(costsOf([routed, back])).toMatchObject({ balance: 0n, costWei: 0n, realizedWei: 2n * ETHER - (ETHER * 90n) / 100n })
  })

  test('counts what came besides a transaction’s trades before them, wherever in it', () => {
    expect(costsOf([[...sold(A, 10n, ETHER), send(B, A, 10n)]])).toMatchObject({ balance: 0n, costWei: 0n, realizedWei: null })
    // What is bought and passed on leaves at its cost; its recipient has not paid.
    const passed = [[send(CURVE, B, 10n), buy(A, 10n, ETHER)]]
    expect(costsOf(passed, A)).toMatchObject({ balance: 0n, buys: 1, costWei: 0n, realizedWei: 0n })
    expect(costsOf(passed, B)).toMatchObject({ balance: 10n, buys: 0, costWei: null, realizedWei: 0n })
  })

  test('is not known in USD of a trade without a price of ETH', () => {
    const row = indexed([
      { price: null, steps: bought(A, 10n, ETHER) },
      { price: parseDecimal('2000'), steps: sold(A, 5n, ETHER) },
    ]).get(A)
    expect(row).toMatchObject({ costWei: ETHER / 2n, realizedWei: ETHER / 2n, boughtUsd: null, costUsd: null, realizedUsd: null })
    expect(row?.soldUsd).toBe(2_000n * ETHER)
  })

  const amount = fc.bigInt({ min: 0n, max: 40n })
  const wallet = fc.constantFrom(...WALLETS)
  const step: fc.Arbitrary<readonly Step[]> = fc.oneof(
    fc.tuple(wallet, amount, amount).map(([maker, of, wei]) => bought(maker, of, wei)),
    fc.tuple(wallet, amount, amount).map(([maker, of, wei]) => sold(maker, of, wei)),
    fc.tuple(wallet, amount, amount).map(([maker, of, wei]) => [buy(maker, of, wei)]),
    fc.tuple(wallet, amount, amount).map(([maker, of, wei]) => [sell(maker, of, wei)]),
    fc.tuple(wallet, wallet, amount).map(([from, to, of]) => [send(from, to, of)]),
  )
  const transaction: fc.Arbitrary<Transaction> = fc.record({
    price: fc.constantFrom(null, parseDecimal('2000.5'), parseDecimal('0.1')),
    steps: fc.array(step, { maxLength: 3 }).map(steps => steps.flat()),
  })

  test('is what counting through an account’s own transfers and trades gives', () => {
    fc.assert(
      fc.property(fc.array(transaction, { maxLength: 12 }), transactions => {
        const rows = indexed(transactions)
        for (const one of WALLETS) {
          const { balance, costWei, realizedWei, costUsd, realizedUsd } = rows.get(one) ?? NOTHING
          expect({ balance, wei: [costWei, realizedWei], usd: [costUsd, realizedUsd] }).toEqual({
            balance: balanceIn(transactions, one),
            wei: countCosts(transactions, one, wei => wei),
            usd: countCosts(transactions, one, (wei, ethUsd) => (ethUsd === null ? null : (wei * ethUsd) / ONE)),
          })
        }
      }),
      { numRuns: 1_000 },
    )
  })

  test('is the sum of what each sale earned, of which one alone may be unknown', () => {
    fc.assert(
      fc.property(fc.array(transaction, { maxLength: 12 }), transactions => {
        const { trades } = tablesOf(transactions)
        for (const one of WALLETS) {
          const sales = trades.filter(({ maker, side }) => maker === one && side === 'sell')
          const sumOf = (profits: readonly (bigint | null)[]) =>
            profits.reduce<bigint | null>((sum, profit) => (sum === null || profit === null ? null : sum + profit), 0n)
          expect(sumOf(sales.map(({ realizedWei }) => realizedWei))).toEqual(countCosts(transactions, one, wei => wei)[1])
          const inUsd = (wei: bigint, ethUsd: Decimal | null) => (ethUsd === null ? null : (wei * ethUsd) / ONE)
          expect(sumOf(sales.map(({ realizedUsd }) => realizedUsd))).toEqual(countCosts(transactions, one, inUsd)[1])
        }
        expect(trades.filter(({ side, realizedWei }) => side === 'buy' && realizedWei !== null)).toEqual([])
      }),
    )
    const [A] = WALLETS as [Address]
    const unpriced = [bought(A, 10n, ETHER), sold(A, 5n, ETHER)].map(steps => ({ price: null, steps }))
    const { trades } = tablesOf(unpriced)
    expect(trades.map(({ realizedWei, realizedUsd }) => [realizedWei, realizedUsd])).toEqual([
      [null, null],
      [ETHER / 2n, null],
    ])
  })
})

const NOTHING = { balance: 0n, costWei: 0n, realizedWei: 0n, costUsd: 0n, realizedUsd: 0n }

function positionOf(block: number, logIndex: number) {
  const blockHash: Hex = `0x${block}`
  return { token: TOKEN, blockNumber: block, blockHash, txHash: blockHash, timestamp: 1_795_046_400 + block * 2, txIndex: 0, logIndex }
}

/** Indexes one transaction per block. */
function indexed(transactions: readonly Transaction[]): ReadonlyMap<Address, BalanceRow> {
  return new Map([...tablesOf(transactions).balances.values()].map(row => [row.holder, row]))
}

function tablesOf(transactions: readonly Transaction[]): ReturnType<typeof memoryRows>['tables'] {
  const rows = memoryRows()
  const apply = (events: readonly TokenEvent[], ethUsd: Decimal | null) => {
    const now = 1_795_046_400 + (events[0]?.blockNumber ?? 0) * 2
    const directory = { lookup: () => undefined }
    rows.write(
      project({
        events,
        rows: rows.load(now),
        now,
        ...valuationOf({ weth: WETH }, []),
        providedEthUsd: ethUsd,
        directory,
      }),
    )
  }
  apply(LAUNCH, null)
  for (const [index, { price: ethUsd, steps }] of transactions.entries()) {
    const events = steps.map((step, logIndex): TokenEvent => {
      const at = positionOf(2 + index, logIndex)
      if ('from' in step) return { ...at, kind: 'transfer', ...step }
      const { side, maker, amount, wei } = step
      return { ...at, kind: 'trade', pool: CURVE, phase: 'curve', side, maker, amountToken: amount, amountQuote: wei, feeQuote: null }
    })
    if (events.length > 0) apply(events, ethUsd)
  }
  return rows.tables
}
