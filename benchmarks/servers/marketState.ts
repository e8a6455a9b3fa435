import type { Holder } from '#resources/holders.ts'
import type { TokenSnapshot } from '#resources/token.ts'
import type { Trade } from '#resources/trades.ts'
import { holdersOf, recentOf } from '#test/support/snapshots.ts'

/*
 * Consecutive states of a token that differ by what a block of the development chain changes. Numbers have as many digits as there, since
 * they are most of an update's bytes.
 */

/** No trade: the windows move on. */
export function quietState({ token, ...snapshot }: TokenSnapshot, block: number): TokenSnapshot {
  const { market } = token
  const draw = drawOf(block)
  return {
    ...snapshot,
    recent: recentOf([]),
    holders: [],
    token: {
      ...token,
      market: {
        ...market,
        volumeWeth: { ...market.volumeWeth, m5: `0.${draw(18)}`, h1: `1.${draw(18)}` },
        buyVolumeWeth: { ...market.buyVolumeWeth, h1: `0.${draw(18)}` },
        priceChange: { ...market.priceChange, m5: block % 100 },
        trades: { ...market.trades, h1: { ...market.trades.h1, buys: block } },
      },
    },
  }
}

/** One trade: prices, windows, reserves, the pool's balance and the trader's, who overtakes another holder in every second block. */
export function tradedState({ token, ...snapshot }: TokenSnapshot, trade: Trade, block: number): TokenSnapshot {
  const { market, pool } = token
  const draw = drawOf(block)
  const price = `0.0000000${draw(20)}`
  const volume = (before: typeof market.volumeWeth) => ({
    ...before,
    m5: `0.${draw(18)}`,
    h1: `1.${draw(18)}`,
    h6: `9.${draw(18)}`,
    h24: `40.${draw(18)}`,
  })
  const bought = (before: typeof market.trades.m5) => ({ ...before, buys: before.buys + block, buyers: before.buyers + block })
  const { m5, h1, h6, h24 } = market.trades
  return {
    ...snapshot,
    recent: recentOf([
      {
        ...trade,
        amountToken: draw(24),
        amountQuote: draw(16),
        amountWeth: `0.00${draw(16)}`,
        priceWeth: price,
        priceAfterWeth: price,
        priceUsd: `0.0000${draw(20)}`,
        valueUsd: `3.${draw(19)}`,
        feeWeth: `0.0000${draw(14)}`,
      },
    ]),
    holders: tradedHolders(block, draw),
    token: {
      ...token,
      market: {
        ...market,
        priceQuote: price,
        priceWeth: price,
        marketCapWeth: `10.${draw(18)}`,
        liquidityWeth: `4.${draw(18)}`,
        volumeWeth: volume(market.volumeWeth),
        buyVolumeWeth: volume(market.buyVolumeWeth),
        priceChange: { m5: block / 1e4, h1: block / 1e3, h6: block / 1e2, h24: block / 10 },
        trades: { m5: bought(m5), h1: bought(h1), h6: bought(h6), h24: bought(h24) },
        tradeCount: market.tradeCount + block,
        lastTradeAt: new Date(1_795_000_000_000 + block * 2_000).toISOString(),
      },
      pool: pool && { ...pool, reserveToken: draw(27), reserveQuote: draw(19) },
    },
  }
}

/** Places of the pool, of the trader, and of the holder that the trader overtakes. */
const [POOL, TRADER, OVERTAKEN] = [0, 8, 7]

function tradedHolders(block: number, draw: (digits: number) => string): readonly Holder[] {
  const holders = holdersOf(20).map((holder, place) =>
    place === POOL || place === TRADER
      ? { ...holder, balance: draw(26), percent: block / 1e4, lastChangedBlock: String(1_000 + block) }
      : holder,
  )
  if (block % 2 === 0) holders.splice(OVERTAKEN, 0, ...holders.splice(TRADER, 1))
  return holders.map((holder, place) => ({ ...holder, rank: place + 1 }))
}

/** Numbers of so many digits, which differ from block to block. */
function drawOf(block: number): (digits: number) => string {
  let seed = BigInt(block + 1)
  return digits => {
    seed = (seed * 6_364_136_223_846_793_005n + 1_442_695_040_888_963_407n) % 2n ** 64n
    return String(seed * seed)
      .slice(0, digits)
      .padEnd(digits, '7')
  }
}
