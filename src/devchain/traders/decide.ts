import { parseEther } from 'viem'
import type { Address } from '#domain/address.ts'
import type { TradeSide } from '#domain/trade.ts'
import { MAX_TOKENS, type Market, type MarketToken } from './market.ts'
import type { Random } from './random.ts'
import { drawTokenName } from './tokenNames.ts'

export type Route = 'router' | 'direct'

/** `fair`: a few percent below what the curve quotes; `hopeless`: more than it can ever give, so the trade reverts. */
export type Bound = 'none' | 'fair' | 'hopeless'

/** What somebody wants to do, before balances are looked up. Fractions are of what the sender holds, in (0, 1]. */
export type Intent =
  | {
      readonly kind: 'launch'
      readonly from: Address
      readonly name: string
      readonly symbol: string
      readonly metadataUri: string
      readonly firstBuyWei: bigint
    }
  | {
      readonly kind: 'curveBuy'
      readonly from: Address
      readonly token: MarketToken
      readonly wei: bigint
      readonly bound: Bound
      readonly recipient: Address
    }
  | { readonly kind: 'curveSell'; readonly from: Address; readonly token: MarketToken; readonly fraction: number; readonly bound: Bound }
  | { readonly kind: 'poolBuy'; readonly from: Address; readonly token: MarketToken; readonly wei: bigint; readonly route: Route }
  | { readonly kind: 'poolSell'; readonly from: Address; readonly token: MarketToken; readonly fraction: number; readonly route: Route }
  | { readonly kind: 'transfer'; readonly from: Address; readonly token: MarketToken; readonly to: Address; readonly fraction: number }
  | { readonly kind: 'graduate' | 'collectFees' | 'claim'; readonly from: Address; readonly token: MarketToken }

/** Who acts: creators launch and claim, wallets trade. */
export interface Cast {
  readonly creators: readonly Address[]
  readonly wallets: readonly Address[]
}

const DEAD = '0x000000000000000000000000000000000000dead' as Address
/** In a burst this share of the trades goes to the token of the burst. */
const BURST_SHARE = 0.75
const BURST_MOOD = 0.88

/**
 * What happens in the next block: `count` actions of the crowd, and the graduations that are due.
 *
 * Pure but for the draws: the same market and the same state of `random` give the same intents.
 */
export function decideBlock(market: Market, cast: Cast, random: Random, count: number): readonly Intent[] {
  const intents: Intent[] = []
  for (const token of market.tokens.values()) {
    if (token.phase === 'complete' && random.chance(0.3)) intents.push({ kind: 'graduate', from: random.pick(cast.wallets), token })
  }
  for (let index = 0; index < count; index++) intents.push(decide(market, cast, random))
  return intents
}

function decide(market: Market, cast: Cast, random: Random): Intent {
  const token = drawToken(market, random)
  if (token === null || random.chance(launchShare(market))) return drawLaunch(cast, random)
  switch (random.weighted([88, 5, 4, 2])) {
    case 0:
      return drawTrade(market, token, cast, random)
    case 1:
      return drawTransfer(token, cast, random)
    case 2:
      return { kind: 'claim', from: token.creator, token }
    default:
      return token.phase === 'pool'
        ? { kind: 'collectFees', from: random.pick(cast.wallets), token }
        : drawTrade(market, token, cast, random)
  }
}

/** A young market needs tokens more than trades; in a full one they are rare, or a chain that runs for days would grow too heavy. */
function launchShare({ tokens }: Market): number {
  if (tokens.size < 8) return 0.5
  return 0.002 + 0.03 * Math.max(0, 1 - tokens.size / MAX_TOKENS)
}

function drawLaunch(cast: Cast, random: Random): Intent {
  // Now and then a creator buys the whole curve: the target is reached in the transaction of the launch.
  const largest = random.chance(0.05) ? 6 : 0.4
  const firstBuyWei = random.chance(0.5) ? ether(random.spread(0.001, largest)) : 0n
  return { kind: 'launch', from: random.pick(cast.creators), ...drawTokenName(random), firstBuyWei }
}

function drawToken(market: Market, random: Random): MarketToken | null {
  const { burst } = market
  const hot = burst === null ? undefined : market.tokens.get(burst.token)
  if (hot !== undefined && random.chance(BURST_SHARE)) return hot
  const tradable = [...market.tokens.values()].filter(token => token.phase !== 'complete')
  return tradable[random.weighted(tradable.map(token => token.heat))] ?? null
}

function drawTrade(market: Market, token: MarketToken, cast: Cast, random: Random): Intent {
  const bursting = market.burst?.token === token.address
  const side: TradeSide = token.holders.length === 0 || random.chance(bursting ? BURST_MOOD : token.mood) ? 'buy' : 'sell'
  const route: Route = random.chance(0.6) ? 'router' : 'direct'
  if (side === 'buy') {
    const from = random.pick(cast.wallets)
    const wei = drawSpending(bursting, random)
    if (token.phase === 'pool') return { kind: 'poolBuy', from, token, wei, route }
    const recipient = random.chance(0.03) ? random.pick(cast.wallets) : from
    return { kind: 'curveBuy', from, token, wei, bound: drawBound(bursting, random), recipient }
  }
  const from = random.pick(token.holders)
  const fraction = random.weighted([6, 3, 1]) === 0 ? 1 : random.spread(0.000_001, 0.9)
  if (token.phase === 'pool') return { kind: 'poolSell', from, token, fraction, route }
  return { kind: 'curveSell', from, token, fraction, bound: drawBound(bursting, random) }
}

function drawSpending(bursting: boolean, random: Random): bigint {
  switch (random.weighted([90, 4, 6])) {
    case 0:
      return ether(random.spread(bursting ? 0.005 : 0.000_5, 0.3))
    case 1:
      return BigInt(random.integer(1, 100_000)) // a few wei: prices and candles of almost nothing
    default:
      return ether(random.spread(0.3, 2.5))
  }
}

function drawBound(bursting: boolean, random: Random): Bound {
  // In a rush few set a bound: the price runs away within the block, and most bounds fail.
  return (['fair', 'none', 'hopeless'] as const)[random.weighted(bursting ? [12, 87, 1] : [70, 28, 2])] ?? 'none'
}

function drawTransfer(token: MarketToken, cast: Cast, random: Random): Intent {
  const from = token.holders.length === 0 ? token.creator : random.pick(token.holders)
  const to = random.chance(0.15) ? DEAD : random.pick(cast.wallets)
  return { kind: 'transfer', from, token, to, fraction: random.chance(0.2) ? 1 : random.spread(0.001, 0.5) }
}

/** An amount of ETH in wei, exact to the gwei: what people type. */
function ether(amount: number): bigint {
  return parseEther(amount.toFixed(9))
}
