import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Address, Hex } from '#domain/address.ts'
import type { Decimal } from '#domain/decimal.ts'
import {
  addLastTrades,
  EMPTY_AGING,
  type LastTrades,
  NO_LAST_TRADES,
  perWindow,
  rollWindows,
  WINDOW_NAMES,
  WINDOW_SECONDS,
  type WindowTotals,
} from '#domain/windows.ts'

interface ModelTrade {
  readonly pool: Hex
  readonly timestamp: number
  readonly side: 'buy' | 'sell'
  readonly maker: Address
  readonly amountWei: bigint
  readonly priceAfterWeth: Decimal
}

const EMPTY_TOTALS: WindowTotals = { ...EMPTY_AGING.leaving, buyers: 0, sellers: 0 }

const MAKERS = ['0x01', '0x02', '0x03'] as unknown as Address[]

const step = fc.record({
  // Gaps around every window's length, so that trades leave each of them in all orders.
  gap: fc.oneof(fc.integer({ min: 0, max: 60 }), fc.constantFrom(299, 300, 301, 3_600, 21_599, 86_400, 86_401)),
  trades: fc.array(
    fc.record({
      side: fc.constantFrom('buy' as const, 'sell' as const),
      maker: fc.constantFrom(...MAKERS),
      amount: fc.bigInt({ min: 0n, max: 10n ** 20n }),
    }),
    { maxLength: 3 },
  ),
})

function referenceOf(trade: ModelTrade | undefined) {
  return trade === undefined ? null : { priceWeth: trade.priceAfterWeth, timestamp: trade.timestamp, pool: trade.pool }
}

/** No more than what has to be known: of makers of new trades, and of those whose last trade has left a window. */
function lastTradesOf(stored: readonly ModelTrade[], pending: readonly ModelTrade[], was: number, now: number): LastTrades {
  const all = addLastTrades(NO_LAST_TRADES, stored)
  const isAsked = (side: 'buy' | 'sell', maker: Address, time: number) =>
    pending.some(trade => trade.side === side && trade.maker === maker) ||
    WINDOW_NAMES.some(name => time > was - WINDOW_SECONDS[name] && time <= now - WINDOW_SECONDS[name])
  const asked = (side: 'buy' | 'sell') => new Map([...all[side]].filter(([maker, time]) => isAsked(side, maker, time)))
  return { buy: asked('buy'), sell: asked('sell') }
}

test('rolling forward in any steps gives the same windows as counting all trades anew', () => {
  fc.assert(
    fc.property(
      fc.array(step, { minLength: 1, maxLength: 25 }),
      fc.array(fc.boolean(), { minLength: 25, maxLength: 25 }),
      (steps, cuts) => {
        const stored: ModelTrade[] = []
        let pending: ModelTrade[] = []
        let now = 1_795_000_000
        let was = now
        let windows = perWindow(() => EMPTY_TOTALS)
        let price = 0n
        for (const [index, { gap, trades }] of steps.entries()) {
          now += gap
          pending.push(
            ...trades.map(({ side, maker, amount }) => ({
              pool: '0x01' as const,
              timestamp: now,
              side,
              maker,
              amountWei: amount,
              priceAfterWeth: ++price as Decimal,
            })),
          )
          // A batch ends here or goes on over the next block.
          if (cuts[index] === false && index < steps.length - 1) continue
          const known = { aging: agingOf(stored, was, now), lastTrades: lastTradesOf(stored, pending, was, now) }
          const rolled = rollWindows({ totals: windows, at: was }, known, pending, now)
          stored.push(...pending)
          pending = []
          was = now
          windows = rolled.windows
          for (const name of WINDOW_NAMES) {
            const start = now - WINDOW_SECONDS[name]
            expect(windows[name]).toEqual(totalsOf(stored.filter(trade => trade.timestamp > start)))
            expect(rolled.reference[name]).toEqual(referenceOf(stored.findLast(trade => trade.timestamp <= start)))
          }
          const leaves = stored
            .flatMap(trade => WINDOW_NAMES.map(name => trade.timestamp + WINDOW_SECONDS[name]))
            .filter(time => time > now)
          expect(rolled.windowsExpireAt).toBe(leaves.length === 0 ? null : Math.min(...leaves))
        }
      },
    ),
    { numRuns: 300 },
  )
})

test('an empty window never expires', () => {
  const rolled = rollWindows(
    { totals: perWindow(() => EMPTY_TOTALS), at: 0 },
    { aging: perWindow(() => EMPTY_AGING), lastTrades: NO_LAST_TRADES },
    [],
    1_795_000_000,
  )
  expect(rolled.windowsExpireAt).toBeNull()
  expect(rolled.windows.h24).toEqual(EMPTY_TOTALS)
})

/** What the database answers about stored trades, computed by looking at all of them. */
function agingOf(stored: readonly ModelTrade[], was: number, now: number) {
  return perWindow(name => {
    const length = WINDOW_SECONDS[name]
    const left = stored.filter(trade => trade.timestamp > was - length && trade.timestamp <= now - length)
    return {
      leaving: totalsOf(left),
      oldestAt: stored.find(trade => trade.timestamp > now - length)?.timestamp ?? null,
      reference: referenceOf(stored.findLast(trade => trade.timestamp <= now - length)),
    }
  })
}

function totalsOf(trades: readonly ModelTrade[]) {
  const volume = (some: readonly ModelTrade[]) => some.reduce((sum, trade) => sum + trade.amountWei, 0n)
  const buys = trades.filter(trade => trade.side === 'buy')
  const sells = trades.filter(trade => trade.side === 'sell')
  return {
    volumeWei: volume(trades),
    buyVolumeWei: volume(buys),
    buys: buys.length,
    sells: sells.length,
    buyers: new Set(buys.map(({ maker }) => maker)).size,
    sellers: new Set(sells.map(({ maker }) => maker)).size,
  }
}
