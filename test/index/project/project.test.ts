import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Address, type Hex, ZERO_ADDRESS } from '#domain/address.ts'
import { CANDLE_INTERVALS, STORED_INTERVALS } from '#domain/candle.ts'
import { type Decimal, formatDecimal, max, multiply, ONE, ratio } from '#domain/decimal.ts'
import { project } from '#index/project/project.ts'
import type { TokenEvent } from '#launchpads/tokenEvent.ts'
import { splitNewRows } from '#store/commit.ts'
import type { TokenRow } from '#tables/token.ts'
import { memoryRows } from '#test/support/memoryRows.ts'
import { NO_CHANGES } from '#test/support/noChanges.ts'
import {
  type Block,
  back,
  buildChain,
  CREATOR,
  candlesOf,
  chain,
  comparable,
  curveOf,
  DOLLAR_POOL,
  facts,
  followMarket,
  GENESIS_TIME,
  index,
  lookup,
  poolOf,
  price,
  type Step,
  shownOf,
  sorted,
  step,
  TOKENS,
  VALUATION,
} from './randomMarket.ts'

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
          for (const seconds of STORED_INTERVALS.map(interval => CANDLE_INTERVALS[interval])) {
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
    const seen = { candles: 0, quietMoves: 0, routed: 0, inUsd: 0 }
    fc.assert(
      fc.property(chain, fc.array(fc.boolean(), { minLength: 1, maxLength: 5 }), (blocks, cuts) => {
        const { tables } = index(blocks, cuts)
        const [inEther, inDollars] = TOKENS.map(token => tables.tokens.get(token)) as [TokenRow, TokenRow]
        for (const seconds of STORED_INTERVALS.map(interval => CANDLE_INTERVALS[interval])) {
          const candles = candlesOf(tables, inEther.address, seconds)
          expect(candles.map(({ open }) => open)).toEqual(
            [inEther.firstPriceWeth, ...candles.map(({ close }) => close)].slice(0, candles.length),
          )
          expect(candles.at(-1)?.close ?? inEther.priceWeth).toBe(inEther.priceWeth)
          expect(candles.map(({ high }) => high as Decimal).reduce(max, inEther.firstPriceWeth as Decimal)).toBe(inEther.athPriceWeth)
          expect(candles.every(({ closeQuote }) => closeQuote === null)).toBe(true)
          for (const token of [inEther, inDollars]) {
            const highs = candlesOf(tables, token.address, seconds).flatMap(({ highUsd }) => highUsd ?? [])
            expect(highs.length === 0 ? null : highs.reduce(max)).toBe(token.athPriceUsd)
            seen.inUsd += highs.length
          }
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
    expect(seen.inUsd).toBeGreaterThan(1_000)
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
