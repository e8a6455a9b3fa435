import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Address, type Hex, ZERO_ADDRESS } from '#domain/address.ts'
import { CLASS_BITS, classesOf, EARLY_CLASSES, HELD_FIELDS } from '#domain/holder.ts'
import { project } from '#index/project/project.ts'
import type { TokenEvent } from '#launchpads/tokenEvent.ts'
import type { BalanceRow } from '#tables/balance.ts'
import type { Changes } from '#tables/changes.ts'
import { countEarly } from '#test/support/countEarly.ts'
import { type MemoryRows, memoryRows } from '#test/support/memoryRows.ts'
import { addressOf } from '#test/support/rows.ts'
import { CREATOR, comparable, VALUATION } from './randomMarket.ts'

const TOKEN = addressOf(1)
const CURVE = addressOf(0x1000)
const LAUNCHED_AT = 1_795_046_400
const [A, B, C, D, ROUTER] = [0x10, 0x11, 0x12, 0x13, 0x14].map(addressOf) as [Address, Address, Address, Address, Address]

/** One transaction: its block's time in seconds after the launch, and its steps. */
interface Transaction {
  readonly at: number
  readonly steps: readonly Step[]
}

type Step =
  | { readonly side: 'buy' | 'sell'; readonly maker: Address; readonly amount: bigint }
  | { readonly from: Address; readonly to: Address; readonly amount: bigint }

const send = (from: Address, to: Address, amount = 10n): Step => ({ from, to, amount })
const bought = (maker: Address, amount = 10n): readonly Step[] => [send(CURVE, maker, amount), { side: 'buy', maker, amount }]
const sold = (maker: Address, amount = 10n): readonly Step[] => [send(maker, CURVE, amount), { side: 'sell', maker, amount }]

const CURVE_SOURCE = {
  role: 'pool',
  launchpad: 'test',
  token: TOKEN,
  tokenDecimals: 18,
  pool: { address: CURVE, type: 'curve', quoteToken: VALUATION.weth, tokenIsToken0: true, feeBps: null },
} as const

function classesAfter(transactions: readonly Transaction[], account: Address) {
  return classesOf(indexed(transactions).rows.tables.balances.get(`${TOKEN}${account}`)?.classes ?? 0)
}

describe('early wallets', () => {
  test.each<[string, readonly Transaction[], Address, readonly string[]]>([
    ['the creator is one from its first token on', [{ at: 0, steps: bought(CREATOR) }], CREATOR, ['creator']],
    [
      'a buy 5 s after the first one by another account is a snipe, however late that was',
      [
        { at: 0, steps: bought(CREATOR) },
        { at: 900, steps: bought(A) },
        { at: 905, steps: bought(B) },
      ],
      B,
      ['sniper'],
    ],
    [
      'a buy 6 s after it is none',
      [
        { at: 900, steps: bought(A) },
        { at: 906, steps: bought(B) },
      ],
      B,
      [],
    ],
    [
      'a buyer in a block with three others is a bundler',
      [{ at: 5, steps: [A, B, C, D].flatMap(one => bought(one)) }],
      A,
      ['sniper', 'bundler'],
    ],
    ['the creator does not count among the four', [{ at: 0, steps: [A, B, C, CREATOR].flatMap(one => bought(one)) }], A, ['sniper']],
    ['four buyers 6 s after the launch are no bundle', [{ at: 6, steps: [A, B, C, D].flatMap(one => bought(one)) }], A, ['sniper']],
    [
      'four buyers of two blocks are none',
      [
        { at: 1, steps: [A, B].flatMap(one => bought(one)) },
        { at: 2, steps: [C, D].flatMap(one => bought(one)) },
      ],
      A,
      ['sniper'],
    ],
    [
      'who got tokens of the creator by way of an insider is an insider',
      [
        { at: 0, steps: bought(CREATOR) },
        { at: 50, steps: [send(CREATOR, A)] },
        { at: 90, steps: [send(A, B, 1n)] },
      ],
      B,
      ['insider'],
    ],
    [
      'who bought before is none',
      [
        { at: 0, steps: bought(CREATOR) },
        { at: 0, steps: bought(A) },
        { at: 9, steps: [send(CREATOR, A)] },
      ],
      A,
      ['sniper'],
    ],
    [
      'an account that only passes tokens on is none',
      [
        { at: 0, steps: bought(CREATOR) },
        { at: 9, steps: [send(CREATOR, ROUTER), send(ROUTER, A, 4n), send(ROUTER, B, 6n)] },
      ],
      ROUTER,
      [],
    ],
    [
      'whom it passes them on to is one',
      [
        { at: 0, steps: bought(CREATOR) },
        { at: 9, steps: [send(CREATOR, ROUTER), send(ROUTER, A, 4n), send(ROUTER, B, 6n)] },
      ],
      A,
      ['insider'],
    ],
    [
      'who buys by way of an account with tokens of the creator is none',
      [
        { at: 0, steps: bought(CREATOR) },
        { at: 9, steps: [send(CREATOR, ROUTER, 1n)] },
        { at: 20, steps: bought(B) },
        { at: 30, steps: [send(CURVE, ROUTER), send(ROUTER, A), { side: 'buy', maker: A, amount: 10n }] },
      ],
      A,
      [],
    ],
    [
      'who buys what the creator sold is none',
      [
        { at: 0, steps: bought(CREATOR) },
        { at: 9, steps: [send(CREATOR, ROUTER), send(ROUTER, CURVE), { side: 'sell', maker: CREATOR, amount: 10n }] },
        { at: 20, steps: bought(B) },
        { at: 60, steps: bought(A) },
      ],
      A,
      [],
    ],
    [
      'a transfer of nothing makes no insider',
      [
        { at: 0, steps: bought(CREATOR) },
        { at: 9, steps: [send(CREATOR, A, 0n)] },
      ],
      A,
      [],
    ],
    [
      'whom a pool or a locker passes tokens of the creator on to is none',
      [
        { at: 0, steps: bought(CREATOR) },
        { at: 9, steps: [send(CREATOR, CURVE), send(CURVE, A)] },
      ],
      A,
      [],
    ],
    [
      'who sent before it got tokens of the creator makes no insider',
      [
        { at: 0, steps: [...bought(CREATOR), ...bought(C)] },
        { at: 1, steps: [send(C, A, 5n)] },
        { at: 2, steps: [send(A, B, 1n)] },
        { at: 3, steps: [send(CREATOR, A, 5n)] },
      ],
      B,
      [],
    ],
  ])('%s', (_, transactions, account, classes) => {
    expect(classesAfter(transactions, account)).toEqual(classes)
  })

  test('are summed by class, with all that an account bought before it got the class', () => {
    const { rows } = indexed([
      { at: 0, steps: bought(CREATOR, 500n) },
      { at: 1, steps: [...bought(A, 10n), ...bought(B, 20n), ...bought(C, 30n), ...bought(D, 40n)] },
      { at: 2, steps: [send(CREATOR, ROUTER, 100n)] },
      { at: 60, steps: [...sold(A, 4n), ...bought(A, 1n)] },
      { at: 61, steps: bought(ROUTER, 7n) },
    ])
    const token = rows.tables.tokens.get(TOKEN)
    expect(EARLY_CLASSES.map(name => token?.[HELD_FIELDS[name]])).toEqual([400n, 97n, 97n, 107n])
    expect([...rows.tables.earlyClasses.values()]).toEqual([
      { token: TOKEN, class: 'creator', wallets: 1, boughtToken: 500n, soldToken: 0n },
      { token: TOKEN, class: 'sniper', wallets: 4, boughtToken: 101n, soldToken: 4n },
      { token: TOKEN, class: 'bundler', wallets: 4, boughtToken: 101n, soldToken: 4n },
      { token: TOKEN, class: 'insider', wallets: 1, boughtToken: 7n, soldToken: 0n },
    ])
  })

  // A creator frames whom it likes as an insider for the price of a transfer each.
  test('cost a commit the rows of its own events, however many accounts a creator has sent dust to', () => {
    const framed = Array.from({ length: 5_000 }, (_, n) => addressOf(0x10_0000 + n))
    const { rows, last } = indexed([
      { at: 0, steps: bought(CREATOR, 10_000n) },
      { at: 1, steps: framed.map(account => send(CREATOR, account, 1n)) },
      { at: 60, steps: [...bought(framed[7] as Address, 30n), ...bought(A)] },
    ])
    expect(rows.tables.earlyClasses.get(`${TOKEN} insider`)).toMatchObject({ wallets: 5_000, boughtToken: 30n })
    expect(rows.tables.tokens.get(TOKEN)?.insiderHeld).toBe(5_030n)
    expect(new Set(last.balances.map(({ holder }) => holder))).toEqual(new Set([A, CURVE, framed[7]]))
    expect(last.earlyClasses.length).toBeLessThanOrEqual(EARLY_CLASSES.length)
  })

  test('are those that a count over all events gives, however the chain is cut into batches', () => {
    const seen = { creator: 0, sniper: 0, bundler: 0, insider: 0 }
    fc.assert(
      fc.property(market, fc.array(fc.boolean(), { minLength: 1, maxLength: 5 }), (transactions, cuts) => {
        const { rows } = indexed(transactions, cuts)
        const { tables } = rows
        expect(comparable(rows)).toEqual(comparable(indexed(transactions).rows))
        const own = [...tables.balances.values()]
        const events = eventsOf(transactions)
          .flat()
          .flatMap(event => {
            if (event.kind === 'trade') return { ...event, amount: event.amountToken }
            return event.kind === 'transfer' ? event : []
          })
        const expected = countEarly({ creator: CREATOR, launchedAt: LAUNCHED_AT, events, isWallet: account => account !== CURVE })
        for (const name of EARLY_CLASSES) {
          const ofClass = own.filter(({ classes }) => (classes & CLASS_BITS[name]) !== 0)
          const holders = own.map(({ holder }) => holder)
          expect(ofClass.map(({ holder }) => holder)).toEqual(holders.filter(holder => expected[name].has(holder)))
          const sumOf = (value: (row: BalanceRow) => bigint) => ofClass.reduce((total, row) => total + value(row), 0n)
          expect(tables.tokens.get(TOKEN)?.[HELD_FIELDS[name]]).toBe(sumOf(({ balance }) => (balance > 0n ? balance : 0n)))
          const { wallets = 0, boughtToken = 0n, soldToken = 0n } = tables.earlyClasses.get(`${TOKEN} ${name}`) ?? {}
          expect([wallets, boughtToken, soldToken]).toEqual([ofClass.length, sumOf(row => row.boughtToken), sumOf(row => row.soldToken)])
          seen[name] += ofClass.length
        }
      }),
      { numRuns: 500 },
    )
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(50)
  })
})

const account = fc.constantFrom(CREATOR, A, B, C, D, ROUTER)
const someAmount = fc.bigInt({ min: 0n, max: 9n })
const randomSteps: fc.Arbitrary<readonly Step[]> = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(account, someAmount).map(([maker, amount]) => bought(maker, amount)) },
  fc.tuple(account, someAmount).map(([maker, amount]) => sold(maker, amount)),
  { weight: 2, arbitrary: fc.tuple(account, account, someAmount).map(([from, to, amount]) => [send(from, to, amount)]) },
)
const market: fc.Arbitrary<readonly Transaction[]> = fc
  .array(fc.record({ gap: fc.constantFrom(0, 0, 0, 1, 3, 6), steps: fc.array(randomSteps, { maxLength: 5 }).map(steps => steps.flat()) }), {
    maxLength: 14,
  })
  .map(transactions => {
    let at = 0
    return transactions.map(({ gap, steps }) => ({ at: (at += gap), steps }))
  })

/** The launch and one block per time, each transaction of its own. */
function eventsOf(transactions: readonly Transaction[]): readonly (readonly TokenEvent[])[] {
  const at = (seconds: number, transaction: number, logIndex: number) => {
    const [block, txHash]: [Hex, Hex] = [`0x${seconds}`, `0x${transaction}`]
    return {
      token: TOKEN,
      blockNumber: seconds,
      blockHash: block,
      txHash,
      timestamp: LAUNCHED_AT + seconds,
      txIndex: transaction,
      logIndex,
    }
  }
  const launch: readonly TokenEvent[] = [
    {
      ...at(0, 0, 0),
      kind: 'launch',
      launchpad: 'test',
      creator: CREATOR,
      symbol: 'T',
      name: 'Token',
      decimals: 18,
      metadataUri: null,
      creatorFeeBps: null,
      feesReported: { accrued: false, claimed: false },
      graduation: { status: 'bonding', target: null },
    },
    { ...at(0, 0, 2), kind: 'transfer', from: ZERO_ADDRESS, to: CURVE, amount: 10n ** 6n },
  ]
  const traded = transactions.map(({ at: seconds, steps }, transaction) =>
    steps.map((step, logIndex): TokenEvent => {
      const place = at(seconds, transaction + 1, 10 * transaction + logIndex + 3)
      if ('from' in step) return { ...place, kind: 'transfer', ...step }
      const { side, maker, amount } = step
      return { ...place, kind: 'trade', pool: CURVE, phase: 'curve', side, maker, amountToken: amount, amountQuote: 1n, feeQuote: null }
    }),
  )
  const blocks = Map.groupBy([launch, ...traded].flat(), ({ blockNumber }) => blockNumber)
  return [...blocks].toSorted(([a], [b]) => a - b).map(([, events]) => events)
}

/** @param cuts after which blocks a batch ends, over and over. Default: after each */
function indexed(transactions: readonly Transaction[], cuts = [true]): { readonly rows: MemoryRows; readonly last: Changes } {
  const rows = memoryRows()
  let last: Changes | undefined
  let batch: readonly TokenEvent[] = []
  const blocks = eventsOf(transactions)
  for (const [index, block] of blocks.entries()) {
    batch = [...batch, ...block]
    if (cuts[index % cuts.length] !== true && index < blocks.length - 1) continue
    const events = batch
    batch = []
    const now = events.at(-1)?.timestamp ?? 0
    const directory = { lookup: (key: Hex) => (key === CURVE ? CURVE_SOURCE : undefined) }
    last = project({ ...VALUATION, dollars: [], events, rows: rows.load(now), now, directory })
    rows.write(last)
  }
  return { rows, last: last as Changes }
}
