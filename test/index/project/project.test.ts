import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Address, type Hex, ZERO_ADDRESS } from '#domain/address.ts'
import { CANDLE_INTERVALS } from '#domain/candle.ts'
import { type Decimal, formatDecimal, max, multiply, ONE, ratio, units } from '#domain/decimal.ts'
import { project } from '#index/project/project.ts'
import type { Valuation } from '#index/project/values.ts'
import type { LogSource } from '#launchpads/logSource.ts'
import type { EventPosition, TokenEvent, TokenEventOf } from '#launchpads/tokenEvent.ts'
import { splitNewRows } from '#store/rows/splitNewRows.ts'
import type { CandleRow } from '#tables/candle.ts'
import { type Changes, type CurrentRows } from '#tables/changes.ts'
import type { TokenRow } from '#tables/token.ts'
import { type MemoryRows, memoryRows } from '#test/support/memoryRows.ts'
import { NO_CHANGES } from '#test/support/noChanges.ts'

const address = (index: number) => `0x${index.toString(16).padStart(40, '0')}` as Address
const WETH = address(0xeee)
const DOLLAR = address(0xddd)
/** Of dollars, against WETH. */
const DOLLAR_POOL = address(0xdd1)
const VALUATION: Valuation = {
  weth: WETH,
  quotePools: new Map([[DOLLAR, [DOLLAR_POOL]]]),
  etherWrappers: new Set(),
  pegs: new Map([[DOLLAR, ONE]]),
  dollars: [DOLLAR],
  providedEthUsd: units(1n, 0),
}
const lookup = (key: Hex): LogSource | undefined =>
  key === DOLLAR_POOL
    ? { role: 'quotePool', launchpad: 'dollars', token: DOLLAR, pool: { ...facts(DOLLAR_POOL, 'uniswap-v3', DOLLAR), quoteToken: WETH } }
    : undefined
const CREATOR = address(0xc0)
const TOKENS = [address(1), address(2)]
const WALLETS = [address(0x10), address(0x11), address(0x12)]
const DEAD = '0x000000000000000000000000000000000000dead' as Address
const curveOf = (token: Address) => address(0x1000 + Number(BigInt(token)))
const poolOf = (token: Address) => address(0x2000 + Number(BigInt(token)))
/** Candles of every interval begin then. */
const GENESIS_TIME = 1_795_046_400

interface Block {
  readonly number: number
  readonly timestamp: number
  readonly events: readonly TokenEvent[]
}

/** What one random step means; positions are filled in when blocks are built. */
type Step = {
  readonly token: number
  readonly gap: number
  readonly wallet: number
  readonly other: number
  readonly amount: bigint
  readonly wei: bigint
  readonly kind: number
}

const step: fc.Arbitrary<Step> = fc.record({
  token: fc.integer({ min: 0, max: 1 }),
  gap: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 30 }), fc.constantFrom(299, 301, 3_601, 90_000)),
  wallet: fc.integer({ min: 0, max: 2 }),
  other: fc.nat({ max: 7 }),
  amount: fc.bigInt({ min: 0n, max: 10n ** 24n }),
  wei: fc.bigInt({ min: 0n, max: 10n ** 19n }),
  kind: fc.integer({ min: 0, max: 12 }),
})

function buildChain(steps: readonly Step[]): readonly Block[] {
  const blocks: Block[] = []
  let timestamp = GENESIS_TIME
  let number = 100
  let logIndex = 0
  const migrated = new Set<Address>()
  const at = () => ({
    blockNumber: number,
    blockHash: `0x${number}` as Hex,
    timestamp,
    txHash: `0x${number}` as Hex,
    txIndex: 0,
    logIndex: logIndex++,
  })
  const launches = TOKENS.flatMap((token): TokenEvent[] => [
    {
      ...at(),
      kind: 'launch',
      token,
      launchpad: 'test',
      creator: CREATOR,
      symbol: 'T',
      name: 'Token',
      decimals: 18,
      metadataUri: null,
      creatorFeeBps: 50,
      feesReported: { accrued: true, claimed: true },
      graduation: { status: 'bonding', target: 10n ** 20n },
    },
    { ...at(), kind: 'poolCreated', token, main: true, pool: facts(curveOf(token), 'curve', token) },
    {
      ...at(),
      kind: 'poolChanged',
      token,
      pool: curveOf(token),
      ...price(10n ** 18n, 10n ** 27n),
      reserves: { mode: 'set', token: 10n ** 27n, quote: 0n },
    },
    { ...at(), kind: 'transfer', token, from: ZERO_ADDRESS, to: curveOf(token), amount: 10n ** 27n },
  ])
  blocks.push({ number, timestamp, events: launches })
  let events: TokenEvent[] = []
  for (const { token: index, gap, wallet, other, amount, wei, kind } of steps) {
    if (gap !== 0 && events.length > 0) blocks.push({ number, timestamp, events })
    if (gap !== 0) {
      events = []
      number += 1
      timestamp += gap
      logIndex = 0
    }
    const token = TOKENS[index] as Address
    const maker = WALLETS[wallet] as Address
    const venue = migrated.has(token) ? poolOf(token) : curveOf(token)
    if (kind < 5) {
      const buy = kind < 3
      events.push(
        { ...at(), kind: 'transfer', token, from: buy ? venue : maker, to: buy ? maker : venue, amount },
        {
          ...at(),
          kind: 'poolChanged',
          token,
          pool: venue,
          ...price(wei + 1n, amount + 1n),
          reserves: { mode: 'move', token: buy ? -amount : amount, quote: buy ? wei : -wei },
        },
        {
          ...at(),
          kind: 'trade',
          token,
          pool: venue,
          phase: migrated.has(token) ? 'pool' : 'curve',
          side: buy ? 'buy' : 'sell',
          maker,
          amountToken: amount,
          amountQuote: wei,
          feeQuote: wei / 100n,
        },
        {
          ...at(),
          kind: 'creatorFee',
          token,
          launchpad: 'test',
          creator: CREATOR,
          currency: WETH,
          scope: 'token',
          accrued: wei / 200n,
          claimed: 0n,
        },
      )
    } else if (kind < 8) {
      const to = [...WALLETS, DEAD][other % 4] as Address
      events.push({ ...at(), kind: 'transfer', token, from: maker, to, amount })
    } else if (kind === 8) {
      events.push({
        ...at(),
        kind: 'creatorFee',
        token,
        launchpad: 'test',
        creator: CREATOR,
        currency: WETH,
        scope: 'token',
        accrued: 0n,
        claimed: wei / 400n,
      })
    } else if (kind === 11) {
      const liquidity = { sqrtPriceX96: 2n ** 96n, tick: 0, liquidity: amount }
      events.push({
        ...at(),
        kind: 'poolChanged',
        token: DOLLAR,
        pool: DOLLAR_POOL,
        ...price(wei + 1n, amount + 1n),
        concentrated: liquidity,
      })
    } else if (kind === 10) {
      events.push({ ...at(), kind: 'poolChanged', token, pool: venue, ...price(wei + 1n, amount + 1n) })
    } else if (kind === 12) {
      events.push({ ...at(), ...(idleEvents(token, venue, maker)[other] as IdleEvent) })
    } else if (!migrated.has(token)) {
      migrated.add(token)
      events.push(
        { ...at(), kind: 'completed', token, raised: wei },
        { ...at(), kind: 'poolCreated', token, main: false, pool: facts(poolOf(token), 'uniswap-v3', token) },
        { ...at(), kind: 'poolChanged', token, pool: poolOf(token), ...price(wei + 1n, amount + 1n) },
        { ...at(), kind: 'migrated', token, pool: poolOf(token) },
      )
    }
  }
  if (events.length > 0) blocks.push({ number, timestamp, events })
  return blocks
}

type IdleEvent = { [K in TokenEvent['kind']]: Omit<TokenEventOf<K>, keyof EventPosition> }[TokenEvent['kind']]

/** Events that leave everything as it was, each as anyone may cause it. */
function idleEvents(token: Address, pool: Address, wallet: Address): readonly IdleEvent[] {
  const account = { launchpad: 'test', creator: CREATOR, currency: WETH, scope: 'token' } as const
  return [
    { kind: 'transfer', token, from: wallet, to: DEAD, amount: 0n },
    { kind: 'transfer', token, from: wallet, to: wallet, amount: 5n },
    { kind: 'poolChanged', token, pool, ...price(1n, 1n), price: null, reserves: { mode: 'move', token: 0n, quote: 0n } },
    { kind: 'creatorFee', token, ...account, accrued: 0n, claimed: 0n, onlyKnown: true },
    { kind: 'updated', token, fields: { name: 'Token', symbol: 'T', metadataUri: null } },
    { kind: 'creatorShare', token, accruedWei: 0n },
    { kind: 'curveProgress', token, raised: { mode: 'move', quote: 0n } },
  ]
}

function facts(pool: Address, type: 'curve' | 'uniswap-v3', token: Address) {
  return { address: pool, type, quoteToken: token === TOKENS[0] ? WETH : DOLLAR, tokenIsToken0: token < DOLLAR, feeBps: 100 }
}

function price(wei: bigint, amount: bigint) {
  return { reserves: null, price: ratio(wei, amount), concentrated: null, liquidityChange: null }
}

function index(
  blocks: readonly Block[],
  cuts: readonly boolean[],
  beforeWrite: (changes: Changes, before: CurrentRows, rows: MemoryRows) => void = () => undefined,
): MemoryRows {
  const rows = memoryRows()
  let batch: Block[] = []
  for (const [position, block] of blocks.entries()) {
    batch.push(block)
    if (cuts[position % cuts.length] === false && position < blocks.length - 1) continue
    // A block is committed whole: the first steps may be of the block of the launches.
    if (blocks[position + 1]?.number === block.number) continue
    const now = block.timestamp
    const events = batch.flatMap(entry => entry.events)
    const before = rows.load(now)
    const changes = project({
      events,
      rows: before,
      now,
      ...VALUATION,
      directory: { lookup },
    })
    beforeWrite(changes, before, rows)
    rows.write(changes)
    batch = []
  }
  return rows
}

const back = (one: Step): Step => ({ ...one, gap: -one.gap })

const chain = fc.array(step, { maxLength: 60 }).map(buildChain)

interface Prices {
  readonly quote: Decimal
  readonly weth: Decimal | null
}

interface MoveOfPrice {
  readonly timestamp: number
  readonly before: Decimal
  readonly after: Decimal
  readonly wei: bigint
  readonly tokens: bigint
  readonly isTrade: boolean
}

/**
 * The trades of a token and what else moved one of its prices, read from the events alone, with its price in the quote currency, and what
 * that currency was worth at the market's last event.
 */
function followMarket(token: Address, blocks: readonly Block[]): { readonly moves: readonly MoveOfPrice[]; readonly rate: Decimal | null } {
  const moves: MoveOfPrice[] = []
  const prices = new Map<Hex, Decimal>()
  const hasMoved = (before: Decimal | null, after: Decimal | null) => before !== null && after !== null && before !== after
  let venue: Hex = curveOf(token)
  let [rate, valued]: (Decimal | null)[] = [null, null]
  let now: Prices | null = null
  for (const event of blocks.flatMap(block => block.events)) {
    if (event.kind === 'poolChanged' && event.pool === DOLLAR_POOL) rate = event.price
    if (event.token !== token) continue
    if (event.kind === 'migrated') venue = event.pool
    if (event.kind === 'poolChanged' && event.price !== null) prices.set(event.pool, event.price)
    const isTrade = event.kind === 'trade'
    if (event.kind !== 'migrated' && !((event.kind === 'poolChanged' || isTrade) && event.pool === venue)) continue
    valued = rate ?? null
    const before: Prices | null = now
    const quote = prices.get(venue)
    if (quote === undefined) continue
    now = { quote, weth: token === TOKENS[0] ? quote : valued === null ? null : multiply(quote, valued) }
    if (before === null || !(isTrade || hasMoved(before.quote, quote) || hasMoved(before.weth, now.weth))) continue
    const [wei, tokens] = isTrade ? [event.amountQuote, event.amountToken] : [0n, 0n]
    moves.push({ timestamp: event.timestamp, before: before.quote, after: quote, wei, tokens, isTrade })
  }
  return { moves, rate: valued ?? null }
}

function candlesOf({ candles }: MemoryRows['tables'], token: Address, seconds: number): readonly CandleRow[] {
  const ofToken = [...candles.values()].filter(row => row.token === token && row.intervalSeconds === seconds)
  return ofToken.toSorted((a, b) => a.time - b.time)
}

/** Price changes and windows are the state at the last block, so a token that nothing touches keeps the time of its last roll. */
function comparable(rows: MemoryRows) {
  return {
    ...rows.tables,
    tokens: [...rows.tables.tokens.values()].map(({ windowsAt: _, ...token }) => token),
    trades: sorted(rows.tables.trades),
  }
}

/** All that resources show of a token, except when it changed last. */
function shownOf(token: Address, { tokens, pools, balances, creatorFees, trades, candles }: MemoryRows['tables']) {
  const isIts = (row: { readonly token: Address }) => row.token === token
  const { asOfBlock: _, windowsAt: __, ...row } = tokens.get(token) ?? {}
  const main = pools.get(tokens.get(token)?.mainPool ?? '')
  return {
    row,
    pool: main === undefined ? undefined : { ...main, lastChangedBlock: null },
    balances: [...balances.values()].filter(isIts),
    creatorFees: [...creatorFees.values()].filter(isIts).map(fee => ({ ...fee, lastChangedBlock: null })),
    trades: trades.filter(isIts).length,
    candles: [...candles.values()].filter(isIts),
  }
}

function sorted<T extends { readonly blockNumber: number; readonly logIndex: number }>(trades: readonly T[]): readonly T[] {
  return trades.toSorted((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex)
}

describe('price changes', () => {
  const [token] = TOKENS as [Address]
  const launchedAt = GENESIS_TIME
  const [curvePrice, poolPrice, lastPrice] = [ratio(1n, 10n), ratio(11n, 100n), ratio(22n, 100n)]
  const at = (number: number, timestamp: number) => {
    const position = { blockNumber: number, blockHash: '0x01' as Hex, timestamp, txHash: '0x02' as Hex, txIndex: 0, logIndex: 0 }
    return { ...position, token }
  }
  const tradeAt = (place: ReturnType<typeof at>, pool: Address, spot: Decimal | null): readonly TokenEvent[] => [
    { ...place, kind: 'poolChanged', pool, ...price(1n, 1n), price: spot },
    {
      ...place,
      kind: 'trade',
      pool,
      phase: 'curve',
      side: 'buy',
      maker: CREATOR,
      amountToken: 10n ** 18n,
      amountQuote: 10n ** 17n,
      feeQuote: 0n,
    },
  ]
  const launch = buildChain([])[0]?.events.filter(event => event.token === token && event.kind !== 'poolChanged') ?? []
  const graduation = (place: ReturnType<typeof at>): readonly TokenEvent[] => [
    { ...place, kind: 'completed', raised: 1n },
    { ...place, kind: 'poolCreated', main: false, pool: facts(poolOf(token), 'uniswap-v3', token) },
    { ...place, kind: 'poolChanged', pool: poolOf(token), ...price(1n, 1n), price: poolPrice },
    { ...place, kind: 'migrated', pool: poolOf(token) },
  ]
  const [movedAt, tradedAt] = [launchedAt + 4_000, launchedAt + 8_000]
  const blocks: readonly Block[] = [
    { number: 100, timestamp: launchedAt, events: [...launch, ...tradeAt(at(100, launchedAt), curveOf(token), curvePrice)] },
    { number: 101, timestamp: movedAt, events: graduation(at(101, movedAt)) },
    { number: 102, timestamp: movedAt + 299, events: [] },
    { number: 103, timestamp: movedAt + 300, events: [] },
    { number: 104, timestamp: movedAt + 3_600, events: [] },
    { number: 105, timestamp: tradedAt, events: tradeAt(at(105, tradedAt), poolOf(token), lastPrice) },
  ]
  const changes = (upTo: number, cuts: readonly boolean[]) => {
    const row = index(blocks.slice(0, upTo), cuts).tables.tokens.get(token)
    return row === undefined ? null : [row.priceChangeM5, row.priceChangeH1, row.priceChangeH6]
  }

  test.each([[[true]], [[false]]])(
    'are from the price at the start of the window, also where the pool opens at another price (%j)',
    cuts => {
      expect(changes(2, cuts)).toEqual([10, 10, 10])
      expect(changes(3, cuts)).toEqual([10, 10, 10])
      // From then on no trade of the curve and no graduation is within five minutes, and nothing has happened since.
      expect(changes(4, cuts)).toEqual([0, 10, 10])
      expect(changes(5, cuts)).toEqual([0, 0, 10])
      expect(changes(6, cuts)).toEqual([100, 100, 120])
    },
  )
})

describe('projecting', () => {
  test('gives the same rows however the chain is cut into batches', () => {
    fc.assert(
      fc.property(chain, fc.array(fc.boolean(), { minLength: 1, maxLength: 20 }), (blocks, cuts) => {
        expect(comparable(index(blocks, cuts))).toEqual(comparable(index(blocks, [true])))
      }),
      { numRuns: 200 },
    )
  })

  // What a backfill indexed once had no value in USD, for ever.
  test('values a trade by what ether costs in dollars at its own block, whatever price providers say', () => {
    const seen = new Set<string>()
    fc.assert(
      fc.property(chain, fc.array(fc.boolean(), { minLength: 1, maxLength: 5 }), (blocks, cuts) => {
        let rate: Decimal | null = null
        const expected: (Decimal | null)[] = []
        for (const event of blocks.flatMap(({ events }) => events)) {
          if (event.kind === 'poolChanged' && event.pool === DOLLAR_POOL) rate = event.price
          if (event.kind === 'trade') expected.push(rate === null ? null : ratio(ONE, rate))
        }
        const { trades } = index(blocks, cuts).tables
        expect(sorted(trades).map(({ ethUsd }) => ethUsd)).toEqual(expected)
        for (const ethUsd of expected) seen.add(String(ethUsd))
      }),
    )
    expect(seen.size).toBeGreaterThan(3)
  })

  // Zero-value transfers of a stranger once gave every token that they named a new sequence, and its watchers an update, per block.
  test('changes a token exactly when a batch changes something that is shown of it', () => {
    const seen = { changed: 0, idle: 0 }
    fc.assert(
      fc.property(chain, fc.array(fc.boolean(), { minLength: 1, maxLength: 5 }), (blocks, cuts) => {
        index(blocks, cuts, (changes, before, { tables }) => {
          const changed = new Set(changes.tokens.map(({ address }) => address))
          const was = TOKENS.map(token => shownOf(token, tables))
          const after = memoryRows(tables)
          after.write(changes)
          for (const [at, token] of TOKENS.entries()) {
            const isSame = isDeepStrictEqual(was[at], shownOf(token, after.tables))
            expect(changed.has(token), `${token} of ${before.tokens.size}`).toBe(!isSame)
            seen[isSame ? 'idle' : 'changed'] += 1
          }
        })
      }),
      { numRuns: 200 },
    )
    expect(seen.changed).toBeGreaterThan(100)
    expect(seen.idle).toBeGreaterThan(100)
  })

  test('takes rows for new only where none of their key is stored, and most of those', () => {
    const seen = { added: 0, notStored: 0 }
    fc.assert(
      fc.property(
        // Time goes backwards, too, as a lying provider may have it.
        fc.array(fc.oneof({ weight: 5, arbitrary: step }, step.map(back)), { minLength: 1, maxLength: 60 }),
        fc.array(fc.boolean(), { minLength: 1, maxLength: 7 }),
        (steps, cuts) => {
          index(buildChain(steps), cuts, (changes, before, { tables }) => {
            const { balances, candles } = splitNewRows(changes, before)
            const isStored = (row: (typeof candles.added)[number]) => tables.candles.has(`${row.token} ${row.intervalSeconds} ${row.time}`)
            expect(candles.added.filter(isStored)).toEqual([])
            expect(balances.added.filter(row => tables.balances.has(`${row.token}${row.holder}`))).toEqual([])
            expect(balances.merged.filter(row => !tables.balances.has(`${row.token}${row.holder}`))).toEqual([])
            expect(new Set([...candles.added, ...candles.merged])).toEqual(new Set(changes.candles))
            seen.added += candles.added.length
            seen.notStored += changes.candles.filter(row => !isStored(row)).length
          })
        },
      ),
      { numRuns: 1_000 },
    )
    expect(seen.added).toBeGreaterThan(seen.notStored / 2)
  })

  test('keeps balances equal to the sum of transfers, the holder count to the positive ones and the supply to what was minted', () => {
    fc.assert(
      fc.property(chain, blocks => {
        const { tables } = index(blocks, [true, false])
        for (const token of TOKENS) {
          const transfers = blocks.flatMap(block => block.events).filter(event => event.kind === 'transfer' && event.token === token)
          const balances = new Map<Address, bigint>()
          for (const event of transfers) {
            if (event.kind !== 'transfer') continue
            balances.set(event.from, (balances.get(event.from) ?? 0n) - event.amount)
            balances.set(event.to, (balances.get(event.to) ?? 0n) + event.amount)
          }
          expect(-(balances.get(ZERO_ADDRESS) ?? 0n)).toBe(tables.tokens.get(token)?.totalSupply)
          balances.delete(ZERO_ADDRESS)
          const stored = [...tables.balances.values()].filter(row => row.token === token)
          for (const row of stored) expect(row.balance).toBe(balances.get(row.holder))
          expect(tables.tokens.get(token)?.holderCount).toBe([...balances.values()].filter(balance => balance > 0n).length)
        }
      }),
      { numRuns: 100 },
    )
  })

  test('gives candles that an independent fold of the events gives too', () => {
    const atLaunchPrice = { token: 1, gap: 5, wallet: 0, other: 2, amount: 10n ** 9n - 1n, wei: 0n }
    const quiet = (kind: number): Step => ({ ...atLaunchPrice, kind })
    const dollars = (wei: bigint): Step => ({ ...atLaunchPrice, wei, kind: 11 })
    fc.assert(
      fc.property(chain, fc.array(fc.boolean(), { minLength: 1, maxLength: 5 }), (blocks, cuts) => {
        const { tables } = index(blocks, cuts)
        for (const token of TOKENS) {
          const { moves } = followMarket(token, blocks)
          for (const seconds of Object.values(CANDLE_INTERVALS)) {
            const groups = Map.groupBy(moves, ({ timestamp }) => timestamp - (timestamp % seconds))
            const expected = [...groups].map(([time, group]) => {
              const prices = group.flatMap(({ before, after }) => [before, after]).toSorted((a, b) => (a < b ? -1 : 1))
              const volume = group.reduce((sum, { wei }) => sum + wei, 0n)
              return [
                time,
                group[0]?.before,
                prices.at(-1),
                prices[0],
                group.at(-1)?.after,
                volume,
                group.filter(one => one.isTrade).length,
                group.reduce((sum, { tokens }) => sum + tokens, 0n),
              ]
            })
            const stored = candlesOf(tables, token, seconds).map(row =>
              row.closeQuote === null
                ? [row.time, row.open, row.high, row.low, row.close, row.volumeWei, row.trades, row.volumeToken]
                : [row.time, row.openQuote, row.highQuote, row.lowQuote, row.closeQuote, row.volumeQuote, row.trades, row.volumeToken],
            )
            expect(stored).toEqual(expected)
          }
        }
      }),
      {
        numRuns: 200,
        // A graduation that only the worth of dollars moves: a move of the price in WETH, at the same price in dollars.
        examples: [[buildChain([dollars(1n), quiet(12), dollars(2n), quiet(9)]), [true]]],
      },
    )
  })

  test('has one price: candles open where the last one closed, close at the price, and reach the highest', () => {
    const seen = { candles: 0, quietMoves: 0, routed: 0 }
    fc.assert(
      fc.property(chain, fc.array(fc.boolean(), { minLength: 1, maxLength: 5 }), (blocks, cuts) => {
        const { tables } = index(blocks, cuts)
        const [inEther, inDollars] = TOKENS.map(token => tables.tokens.get(token)) as [TokenRow, TokenRow]
        for (const seconds of Object.values(CANDLE_INTERVALS)) {
          const candles = candlesOf(tables, inEther.address, seconds)
          expect(candles.map(({ open }) => open)).toEqual(
            [inEther.firstPriceWeth, ...candles.map(({ close }) => close)].slice(0, candles.length),
          )
          expect(candles.at(-1)?.close ?? inEther.priceWeth).toBe(inEther.priceWeth)
          expect(candles.map(({ high }) => high as Decimal).reduce(max, inEther.firstPriceWeth as Decimal)).toBe(inEther.athPriceWeth)
          expect(candles.every(({ closeQuote }) => closeQuote === null)).toBe(true)
          const others = candlesOf(tables, inDollars.address, seconds)
          expect(others.slice(1).map(({ openQuote }) => openQuote)).toEqual(others.slice(0, -1).map(({ closeQuote }) => closeQuote))
          expect(others.at(-1)?.closeQuote ?? inDollars.priceQuote).toBe(inDollars.priceQuote)
          const inWeth = others.filter(({ close }) => close !== null)
          expect(inWeth.map(({ open }) => open)).toEqual(
            [inDollars.firstPriceWeth, ...inWeth.map(({ close }) => close)].slice(0, inWeth.length),
          )
          expect(inWeth.at(-1)?.close ?? inDollars.priceWeth).toBe(inDollars.priceWeth)
          seen.routed += inWeth.length
          seen.candles += candles.length + others.length
          seen.quietMoves += [...candles, ...others].filter(({ trades }) => trades === 0).length
        }
        expect(inEther.priceQuote).toBe(inEther.priceWeth)
        const { rate } = followMarket(inDollars.address, blocks)
        expect(inDollars.quoteRate).toBe(rate)
        expect(inDollars.priceWeth).toBe(rate === null ? null : multiply(inDollars.priceQuote as Decimal, rate))
      }),
      { numRuns: 300 },
    )
    expect(seen.candles).toBeGreaterThan(1_000)
    expect(seen.quietMoves).toBeGreaterThan(100)
    expect(seen.routed).toBeGreaterThan(100)
  })

  test('keeps the liquidity of a token as it is when it moves from its curve into a pool with all that the curve held', () => {
    const [token] = TOKENS as [Address]
    const raised = 3n * 10n ** 18n
    const place = {
      blockNumber: 101,
      blockHash: '0x01' as Hex,
      timestamp: GENESIS_TIME + 1,
      txHash: '0x02' as Hex,
      txIndex: 0,
      logIndex: 0,
      token,
    }
    const paid: TokenEvent = {
      ...place,
      kind: 'poolChanged',
      pool: curveOf(token),
      ...price(10n ** 18n, 10n ** 26n),
      reserves: { mode: 'move', token: 0n, quote: raised },
    }
    const graduation: readonly TokenEvent[] = [
      { ...place, kind: 'poolCreated', main: false, pool: facts(poolOf(token), 'uniswap-v3', token) },
      {
        ...place,
        kind: 'poolChanged',
        pool: poolOf(token),
        ...price(10n ** 18n, 10n ** 26n),
        reserves: { mode: 'set', token: 10n ** 26n, quote: raised },
      },
      { ...place, kind: 'migrated', pool: poolOf(token) },
    ]
    const blocks = [
      ...buildChain([]),
      ...[[paid], graduation].map((events, at) => ({ number: 101 + at, timestamp: place.timestamp, events })),
    ]
    const liquidity = [2, 3].map(count => index(blocks.slice(0, count), [true]).tables.tokens.get(token)?.liquidityWeth)
    expect(liquidity.map(value => formatDecimal(value as Decimal))).toEqual(['6', '6'])
  })

  // A curve that reported itself empty after its graduation had put the token back to 0 %, and one that was completed again had put it back
  // to `completed`. One that was migrated again got a later time of its graduation, and the channel of graduations told both.
  test.each(['completed', 'migrated'] as const)('leaves the progress of a token that has %s as it was', kind => {
    const place = { ...(buildChain([])[0]?.events[0] ?? expect.unreachable()), blockNumber: 101, timestamp: GENESIS_TIME + 1 }
    const { token, blockNumber, blockHash, timestamp, txHash, txIndex } = place
    const at = (logIndex: number) => ({ blockNumber, blockHash, timestamp, txHash, txIndex, logIndex, token })
    const events: readonly TokenEvent[] = [
      { ...at(0), kind: 'curveProgress', raised: { mode: 'set', quote: 10n ** 20n } },
      kind === 'completed' ? { ...at(1), kind, raised: null } : { ...at(1), kind, pool: poolOf(token) },
      { ...at(2), kind: 'curveProgress', raised: { mode: 'set', quote: 0n } },
    ]
    const again = { ...at(0), blockNumber: 102, timestamp: timestamp + 1, txHash: blockHash }
    const graduatedAgain: readonly TokenEvent[] = [
      { ...again, kind: 'completed', raised: 0n },
      ...(kind === 'migrated' ? [{ ...again, kind, logIndex: 1, pool: poolOf(token) } as const] : []),
    ]
    const later = { number: 102, timestamp: timestamp + 1, events: graduatedAgain }
    const told: string[] = []
    const { tables } = index([...buildChain([]), { number: 101, timestamp, events }, later], [true], ({ milestones }) => {
      told.push(...milestones.filter(one => one.kind === 'graduation' && one.token === token).map(({ status }) => String(status)))
    })
    const graduated = { graduationStatus: kind, graduationPercent: 100, raised: 10n ** 20n, completedAt: timestamp }
    const migrated = { migratedAt: timestamp, graduatedPool: poolOf(token), graduationTxHash: txHash }
    expect(tables.tokens.get(token)).toMatchObject(kind === 'migrated' ? { ...graduated, ...migrated } : graduated)
    expect(told).toEqual([kind])
  })

  test('passes over what happens to a token that was never launched', () => {
    const rows = memoryRows()
    const [launch] = buildChain([])
    const events = (launch?.events ?? []).filter(event => event.kind !== 'launch')
    const changes = project({
      events,
      rows: rows.load(0),
      now: 0,
      ...VALUATION,
      directory: { lookup },
    })
    expect(changes).toEqual(NO_CHANGES)
  })

  test('prices a trade by its amounts without the fee, and a dust trade by the pool', () => {
    const trade = (amount: bigint, wei: bigint) => {
      const [launch] = buildChain([])
      const block = buildChain([{ token: 0, gap: 5, wallet: 0, other: 0, amount, wei, kind: 0 }]).at(-1) as Block
      const events = [...(launch as Block).events, ...block.events]
      return project({
        events,
        rows: memoryRows().load(0),
        now: block.timestamp,
        ...VALUATION,
        directory: { lookup },
      }).trades[0]
    }
    expect(formatDecimal(trade(10n ** 20n, 10n ** 18n)?.priceWeth as Decimal)).toBe('0.0099')
    expect(trade(1n, 999n)?.priceWeth).toBe(trade(1n, 999n)?.priceAfterWeth)
  })
})
