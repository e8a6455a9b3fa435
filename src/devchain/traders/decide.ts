import { parseEther } from 'viem'
import type { Address } from '#domain/address.ts'
import type { TradeSide } from '#domain/trade.ts'
import { MAX_TOKENS, type MarketToken, type SimulatedMarket, type Venue } from './market.ts'
import type { Random } from './random.ts'
import { drawTokenName } from './tokenNames.ts'

export type SwapRoute = 'router' | 'direct'

/**
 * The slippage limit. `fair`: a few percent below the curve's quote; `hopeless`: more than the curve can give, so that the trade
 * reverts.
 */
export type Bound = 'none' | 'fair' | 'hopeless'

/**
 * A planned action, before balances are read. Fractions are of the sender's balance, in (0, 1]. Amounts in wei are converted to the same
 * rate of the token's quote currency.
 */
export type Intent =
  | {
      readonly kind: 'launch'
      readonly from: Address
      readonly venue: Venue
      /** What a token of Uniswap v4 is paired with. */
      readonly paired: 'ether' | 'dollar'
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
  | { readonly kind: 'poolBuy'; readonly from: Address; readonly token: MarketToken; readonly wei: bigint; readonly route: SwapRoute }
  | { readonly kind: 'poolSell'; readonly from: Address; readonly token: MarketToken; readonly fraction: number; readonly route: SwapRoute }
  | { readonly kind: 'transfer'; readonly from: Address; readonly token: MarketToken; readonly to: Address; readonly fraction: number }
  /** In the pool that prices the dollar. */
  | { readonly kind: 'dollarSwap'; readonly from: Address; readonly side: TradeSide; readonly wei: bigint }
  | { readonly kind: 'graduate' | 'collectFees' | 'claim'; readonly from: Address; readonly token: MarketToken }

/** The accounts: creators launch and claim, wallets trade. */
export interface Cast {
  readonly creators: readonly Address[]
  readonly wallets: readonly Address[]
  /** Where tokens are launched, the reference launchpad first. */
  readonly venues: readonly Venue[]
}

const DEAD = '0x000000000000000000000000000000000000dead' as Address
/** Share of trades that go to the token of a burst. */
const BURST_SHARE = 0.75
const BURST_MOOD = 0.88
/** Share of launches that a crowd buys at once, and of those whose creator passes tokens on. */
const RUSH_SHARE = 0.25
const RUSH_BUYERS = 5
/** Share of actions that trade in the pool that prices the dollar. */
const DOLLAR_SHARE = 0.02

/**
 * The next block: `count` actions, the graduations of complete curves, and what happens to tokens that were just launched.
 *
 * Pure except for the random draws: the same market and the same state of `random` give the same intents.
 */
export function decideBlock(market: SimulatedMarket, cast: Cast, random: Random, count: number): readonly Intent[] {
  const intents: Intent[] = []
  for (const token of market.tokens.values()) {
    if (token.phase === 'complete' && random.chance(0.3)) intents.push({ kind: 'graduate', from: random.pick(cast.wallets), token })
  }
  intents.push(...market.launched.flatMap(address => drawRush(market.tokens.get(address), cast, random)))
  for (let index = 0; index < count; index++) intents.push(decide(market, cast, random))
  return intents
}

function decide(market: SimulatedMarket, cast: Cast, random: Random): Intent {
  if (cast.venues.length > 1 && random.chance(DOLLAR_SHARE)) return drawDollarSwap(cast, random)
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

/** Share of launches. It is high in a new market, and low in a full one, so that a chain that runs for days stays small. */
function launchShare({ tokens }: SimulatedMarket): number {
  if (tokens.size < 8) return 0.5
  return 0.002 + 0.03 * Math.max(0, 1 - tokens.size / MAX_TOKENS)
}

function drawLaunch(cast: Cast, random: Random): Intent {
  // Sometimes a creator buys the whole curve, which then completes in the transaction of its launch.
  const largest = random.chance(0.05) ? 6 : 0.4
  const firstBuyWei = random.chance(0.5) ? ether(random.spread(0.001, largest)) : 0n
  const [venue, paired] = cast.venues.length === 1 ? (['ether', 'ether'] as const) : drawVenue(cast, random)
  return { kind: 'launch', from: random.pick(cast.creators), venue, paired, ...drawTokenName(random), firstBuyWei }
}

function drawVenue(cast: Cast, random: Random): readonly [Venue, 'ether' | 'dollar'] {
  return [random.pick(cast.venues), random.chance(0.5) ? 'dollar' : 'ether']
}

function drawDollarSwap(cast: Cast, random: Random): Intent {
  const side = random.chance(0.5) ? 'buy' : 'sell'
  return { kind: 'dollarSwap', from: random.pick(cast.wallets), side, wei: ether(random.spread(0.05, 5)) }
}

function drawToken(market: SimulatedMarket, random: Random): MarketToken | null {
  const { burst } = market
  const hot = burst === null ? undefined : market.tokens.get(burst.token)
  if (hot !== undefined && random.chance(BURST_SHARE)) return hot
  const tradable = [...market.tokens.values()].filter(token => token.phase !== 'complete')
  return tradable[random.weighted(tradable.map(token => token.heat))] ?? null
}

function drawTrade(market: SimulatedMarket, token: MarketToken, cast: Cast, random: Random): Intent {
  const bursting = market.burst?.token === token.address
  const side: TradeSide = token.holders.length === 0 || random.chance(bursting ? BURST_MOOD : token.mood) ? 'buy' : 'sell'
  const route: SwapRoute = random.chance(0.6) ? 'router' : 'direct'
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

/** Some launches are bought by a crowd in one block, and some creators pass on what they have bought. */
function drawRush(token: MarketToken | undefined, cast: Cast, random: Random): readonly Intent[] {
  if (token === undefined || token.phase === 'complete') return []
  const intents: Intent[] = []
  if (random.chance(RUSH_SHARE)) {
    const first = random.integer(0, cast.wallets.length - 1)
    for (const from of [...cast.wallets, ...cast.wallets].slice(first, first + Math.min(RUSH_BUYERS, cast.wallets.length))) {
      const wei = drawSpending(false, random)
      if (token.phase === 'pool') intents.push({ kind: 'poolBuy', from, token, wei, route: 'direct' })
      else intents.push({ kind: 'curveBuy', from, token, wei, bound: 'none', recipient: from })
    }
  }
  const supplied = { kind: 'transfer', from: token.creator, token, to: random.pick(cast.wallets), fraction: 0.2 } as const
  return random.chance(RUSH_SHARE) ? [...intents, supplied] : intents
}

function drawSpending(bursting: boolean, random: Random): bigint {
  switch (random.weighted([90, 4, 6])) {
    case 0:
      return ether(random.spread(bursting ? 0.005 : 0.000_5, 0.3))
    case 1:
      return BigInt(random.integer(1, 100_000)) // a few wei: tests very small prices and candles
    default:
      return ether(random.spread(0.3, 2.5))
  }
}

function drawBound(bursting: boolean, random: Random): Bound {
  // In a burst few set a limit, because the price moves within the block and most limits fail.
  return (['fair', 'none', 'hopeless'] as const)[random.weighted(bursting ? [12, 87, 1] : [70, 28, 2])] ?? 'none'
}

function drawTransfer(token: MarketToken, cast: Cast, random: Random): Intent {
  const from = token.holders.length === 0 ? token.creator : random.pick(token.holders)
  const to = random.chance(0.15) ? DEAD : random.pick(cast.wallets)
  return { kind: 'transfer', from, token, to, fraction: random.chance(0.2) ? 1 : random.spread(0.001, 0.5) }
}

/** An amount of ETH in wei, rounded to gwei as people type it. */
function ether(amount: number): bigint {
  return parseEther(amount.toFixed(9))
}
