import { type Decimal, max, multiply } from '#domain/decimal.ts'
import { getOrInsert } from '#domain/getOrInsert.ts'
import type { Draft, Move, Mutable, PricePoint, TokenDraft } from './draft.ts'
import { ethUsdOf, isQuotedInEther, type Valuation, valueMarket } from './values.ts'

/** The prices of a token's market before an event. */
export interface PricesBefore {
  readonly weth: Decimal | null
  readonly quote: Decimal | null
}

export function pricesBefore({ eventPriceWeth, priceQuote }: TokenDraft): PricesBefore {
  return { weth: eventPriceWeth, quote: priceQuote }
}

/**
 * Values the market after a change of its main pool, and notes a point when a price has moved. The first price is no move: the first candle
 * opens at it.
 */
export function movePrice(draft: Draft, token: TokenDraft, before: PricesBefore, timestamp: number, valuation: Valuation): void {
  valueMarket(draft, token, valuation)
  if (hasMoved(before.quote, token.priceQuote) || hasMoved(before.weth, token.eventPriceWeth)) {
    notePoint(draft, token, before, { timestamp, trades: 0, volumeToken: 0n, volumeWei: 0n, volumeQuote: 0n }, valuation)
  }
}

function hasMoved(before: Decimal | null, after: Decimal | null): boolean {
  return before !== null && after !== null && before !== after
}

/** Notes a point for candles. As long as the market has no price, even a trade is no point. */
export function notePoint(
  draft: Draft,
  token: TokenDraft,
  before: PricesBefore,
  moment: Pick<PricePoint, 'timestamp' | 'trades' | 'volumeToken' | 'volumeWei' | 'volumeQuote'>,
  valuation: Valuation,
): void {
  const { eventPriceWeth: priceWeth, priceQuote, quoteUsd } = token
  if (priceQuote === null) return
  const { timestamp } = moment
  const last = draft.points.get(token.address)?.at(-1)
  // The change of the pool by a trade was noted just before the trade, which takes over that point.
  if (last?.trades === 0 && last.timestamp === timestamp && before.quote === priceQuote && before.weth === priceWeth) {
    Object.assign(last, moment)
    return
  }
  const ethUsd = ethUsdOf(draft, valuation)
  const point: Mutable<PricePoint> = {
    token: token.address,
    ...moment,
    weth: priceWeth === null ? null : { before: before.weth, after: priceWeth },
    quote: isQuotedInEther(draft, token, valuation) ? null : { before: before.quote, after: priceQuote },
    usd: moveInUsd(token, before, ethUsd),
    ethUsd,
    quoteUsd,
  }
  getOrInsert(draft.points, token.address, () => []).push(point)
  // This never moves back, even if timestamps do: `splitNewRows` relies on it that no candle begins after `lastPriceAt`.
  token.lastPriceAt = Math.max(token.lastPriceAt ?? timestamp, timestamp)
}

/** The move in USD by a peg, or else by the price of ETH at the event. It begins where the newest USD candle closed. */
function moveInUsd(token: TokenDraft, before: PricesBefore, ethUsd: Decimal | null): Move | null {
  const { eventPriceWeth, priceQuote, quoteUsd } = token
  const [was, is, usd] = quoteUsd === null ? [before.weth, eventPriceWeth, ethUsd] : [before.quote, priceQuote, quoteUsd]
  if (is === null || usd === null) return null
  const move = { before: token.closeUsd ?? (was === null ? null : multiply(was, usd)), after: multiply(is, usd) }
  token.closeUsd = move.after
  const high = max(move.before ?? move.after, move.after)
  token.athPriceUsd = token.athPriceUsd === null ? high : max(token.athPriceUsd, high)
  return move
}
