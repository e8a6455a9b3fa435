import fc from 'fast-check'
import type { Address, Hex } from '#domain/address.ts'
import { sqrtPriceAtTick } from '#domain/prices.ts'
import { project } from '#index/project/project.ts'
import { valuationOf } from '#index/project/values.ts'
import { poolFacts, type TokenEvent } from '#launchpads/tokenEvent.ts'
import { memoryRows } from '#test/support/memoryRows.ts'
import { testAddress } from '#test/support/simulatedChain.ts'

export const WETH = testAddress(900)
const ID: Hex = `0x${'1d'.repeat(32)}`
export const FRACTION = 160n
const WIDEST = 40

interface Position {
  readonly lower: number
  readonly upper: number
  readonly amount: bigint
}

type Step =
  | { readonly kind: 'add'; readonly lower: number; readonly width: number; readonly amount: bigint }
  | { readonly kind: 'remove'; readonly nth: number }
  /** `beside` moves the price off the tick; with 0 it ends exactly there. */
  | { readonly kind: 'swap'; readonly tick: number; readonly beside: bigint }

export const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant('add' as const),
    lower: fc.integer({ min: -WIDEST, max: WIDEST - 1 }),
    width: fc.integer({ min: 1, max: WIDEST }),
    amount: fc.bigInt({ min: 1n, max: 10n ** 24n }),
  }),
  fc.record({ kind: fc.constant('remove' as const), nth: fc.nat(9) }),
  fc.record({
    kind: fc.constant('swap' as const),
    tick: fc.integer({ min: -WIDEST, max: WIDEST }),
    beside: fc.oneof(fc.constant(0n), fc.bigInt({ min: 1n, max: 10n ** 24n })),
  }),
)

/** A pool as Uniswap keeps it, and its events. */
export function follow(token: Address, steps: readonly Step[]) {
  let positions: readonly Position[] = []
  let at = { sqrtPriceX96: 1n << 96n, tick: 0 }
  const place = (block: number) => ({
    blockNumber: block,
    blockHash: '0x01' as Hex,
    timestamp: 1_700_000_000 + block,
    txHash: '0x02' as Hex,
    txIndex: 0,
    logIndex: 0,
    token,
  })
  const liquidity = () =>
    positions.reduce((sum, { lower, upper, amount }) => (lower <= at.tick && at.tick < upper ? sum + amount : sum), 0n)
  const changed = (
    block: number,
    change: Partial<Pick<Extract<TokenEvent, { kind: 'poolChanged' }>, 'concentrated' | 'liquidityChange'>>,
  ): TokenEvent => ({
    ...place(block),
    kind: 'poolChanged',
    pool: ID,
    reserves: null,
    price: null,
    concentrated: null,
    liquidityChange: null,
    ...change,
  })
  const modify = (block: number, { lower, upper, amount }: Position) =>
    changed(block, { liquidityChange: { amount, tickLower: lower, tickUpper: upper } })
  const events: TokenEvent[] = [
    {
      ...place(1),
      kind: 'launch',
      launchpad: 'test',
      creator: testAddress(1),
      symbol: null,
      name: null,
      decimals: 18,
      metadataUri: null,
      creatorFeeBps: null,
      feesReported: { accrued: false, claimed: false },
      graduation: { status: 'none', target: null },
    },
    { ...place(1), kind: 'poolCreated', main: true, pool: poolFacts(ID, 'uniswap-v4', { token, quoteToken: WETH, feeBps: null }) },
    changed(1, { concentrated: { ...at, liquidity: null } }),
  ]
  for (const [index, one] of steps.entries()) {
    const block = 2 + index
    if (one.kind === 'add') {
      const position = { lower: one.lower, upper: one.lower + one.width, amount: one.amount }
      positions = [...positions, position]
      events.push(modify(block, position))
    } else if (one.kind === 'remove') {
      const gone = positions[one.nth % Math.max(positions.length, 1)]
      if (gone === undefined) continue
      positions = positions.filter(position => position !== gone)
      events.push(modify(block, { ...gone, amount: -gone.amount }))
    } else {
      // A price that falls onto a tick has not passed it yet, but the tick below is the pool's.
      const sqrtPriceX96 = sqrtPriceAtTick(one.tick) + one.beside
      at = { sqrtPriceX96, tick: sqrtPriceX96 < at.sqrtPriceX96 && one.beside === 0n ? one.tick - 1 : one.tick }
      events.push(changed(block, { concentrated: { ...at, liquidity: liquidity() } }))
    }
  }
  return { events, positions, ...at }
}

/** What positions amount to at a price, by the formula of the contracts. */
export function amountsOf(positions: readonly Position[], sqrtPriceX96: bigint) {
  const inverse = (root: bigint) => (1n << (FRACTION + 96n)) / root
  let [amount0, amount1] = [0n, 0n]
  for (const { lower, upper, amount } of positions) {
    const [low, high] = [sqrtPriceAtTick(lower), sqrtPriceAtTick(upper)]
    const at = sqrtPriceX96 < low ? low : sqrtPriceX96 > high ? high : sqrtPriceX96
    amount0 += amount * (inverse(at) - inverse(high))
    amount1 += (amount * (at - low)) << (FRACTION - 96n)
  }
  return [amount0, amount1] as const
}

export function index(events: readonly TokenEvent[], eventsPerBatch = events.length) {
  const rows = memoryRows()
  for (let from = 0; from < events.length; from += eventsPerBatch) {
    const valuation = { ...valuationOf({ weth: WETH }, []), providedEthUsd: null }
    const now = 1_700_100_000
    const directory = { lookup: () => undefined }
    rows.write(project({ ...valuation, events: events.slice(from, from + eventsPerBatch), rows: rows.load(now), now, directory }))
  }
  return { pool: rows.tables.pools.get(ID), token: [...rows.tables.tokens.values()][0], ticks: rows.tables.ticks }
}
