import type { Hex } from 'viem'
import { curveAbi, tokenAbi } from '#devchain/abis.ts'
import {
  buyOnCurve,
  claim,
  collectFees,
  type DevChain,
  graduate,
  launch,
  sellOnCurve,
  swapDirectly,
  swapThroughRouter,
  transfer,
  wrap,
} from '#devchain/actions.ts'
import { DOLLAR_DECIMALS, DOLLAR_POOL_FEE, DOLLARS_PER_ETHER } from '#devchain/deployFactories.ts'
import {
  bidAbove,
  claimV4Fees,
  collectV4Fees,
  creatorFees,
  launchInV4,
  poolIdOf,
  readAuction,
  swapInV4,
  type V4Chain,
  v4KeyOf,
} from '#devchain/v4Actions.ts'
import type { Address } from '#domain/address.ts'
import type { TradeSide } from '#domain/trade.ts'
import type { Bound, Intent, SwapRoute } from './decide.ts'
import type { MarketToken } from './market.ts'

/** More than any trade gives. */
const HOPELESS = 2n ** 200n
const FAIR_PERCENT = 92n
const PARTS = 1_000_000_000
/** Fewer wei are worth less than 0.003 dollars, and often less than the dollar's smallest unit. */
const MIN_WORTH = 10n ** 12n
const MAX_BID_UNITS = 20n
/** Number of trades that a funding pays for, each of the size of the one that lacks funds. */
const FUNDED_TRADES = 20n

/** Sends an intent's transactions; `null` when there is nothing to send, for example without a balance. */
type Sending = (() => Promise<Hex>) | null

/**
 * Turns intents into transactions: reads all balances and quotes at once, then sends in the order of the intents. An intent that
 * the node rejects is counted and skipped.
 */
export async function sendIntents(chain: DevChain, intents: readonly Intent[]): Promise<{ readonly refused: number }> {
  const sendings = await Promise.all(intents.map(intent => prepare(chain, intent)))
  let refused = 0
  for (const sending of sendings) {
    if (sending === null) continue
    try {
      await sending()
    } catch {
      refused++ // for example, the sender's balance is too small
    }
  }
  return { refused }
}

async function prepare(chain: DevChain, intent: Intent): Promise<Sending> {
  const { from } = intent
  switch (intent.kind) {
    case 'launch':
      return prepareLaunch(chain, intent)
    case 'curveBuy':
      return prepareCurveBuy(chain, intent)
    case 'curveSell':
      return prepareCurveSell(chain, intent)
    case 'poolBuy':
      return preparePoolSwap(chain, { ...intent, side: 'buy', amountIn: inQuote(chain, intent.token.quote, intent.wei) })
    case 'poolSell': {
      const amountIn = await share(chain, intent.token.address, from, intent.fraction)
      return amountIn === 0n ? null : preparePoolSwap(chain, { ...intent, side: 'sell', amountIn })
    }
    case 'dollarSwap':
      return prepareDollarSwap(chain, intent)
    case 'transfer': {
      const amount = await share(chain, intent.token.address, from, intent.fraction)
      return amount === 0n ? null : () => transfer(chain, { from, currency: intent.token.address, to: intent.to, amount })
    }
    case 'graduate':
      return () => graduate(chain, { from, ...placeOf(chain, intent.token) })
    case 'collectFees': {
      const { venue, address: token } = intent.token
      return () =>
        venue === 'v4'
          ? collectV4Fees(withFactories(chain), { from, token })
          : collectFees(chain, { from, ...placeOf(chain, intent.token) })
    }
    case 'claim':
      return intent.token.venue === 'v4'
        ? prepareV4Claim(chain, intent.token)
        : () => claim(chain, { from, ...placeOf(chain, intent.token) })
  }
}

async function prepareLaunch(chain: DevChain, intent: Intent & { kind: 'launch' }): Promise<Sending> {
  const { from, venue, paired } = intent
  if (venue === 'ether') return () => launch(chain, intent)
  const v4 = withFactories(chain)
  const { dollar, dollarLaunchpad } = v4.factories
  if (venue === 'v4') {
    const quote = paired === 'dollar' ? dollar : chain.deployment.weth
    return () => launchInV4(v4, { ...intent, metadata: JSON.stringify({ description: intent.metadataUri }), quote })
  }
  const firstBuyWei = inQuote(chain, dollar, intent.firstBuyWei)
  const fund = await prepareFunds(chain, from, dollar, firstBuyWei)
  return async () => {
    await fund()
    return launch(chain, { ...intent, firstBuyWei, market: { launchpad: dollarLaunchpad, currency: dollar } })
  }
}

async function prepareCurveBuy(chain: DevChain, intent: Intent & { kind: 'curveBuy' }): Promise<Sending> {
  const { from, token, bound, recipient } = intent
  const { curve } = token
  if (curve === null) return null
  const paidWei = inQuote(chain, token.quote, intent.wei)
  const quote = async () => {
    const [tokens] = await chain.client.readContract({ address: curve, abi: curveAbi, functionName: 'quoteBuy', args: [paidWei] })
    return tokens
  }
  const minTokensOut = await limit(bound, quote)
  const currency = token.venue === 'dollar' ? token.quote : undefined
  const fund = currency === undefined ? null : await prepareFunds(chain, from, currency, paidWei)
  return async () => {
    await fund?.()
    return buyOnCurve(chain, { from, curve, paidWei, minTokensOut, recipient, currency })
  }
}

async function prepareCurveSell(chain: DevChain, intent: Intent & { kind: 'curveSell' }): Promise<Sending> {
  const { from, token, fraction, bound } = intent
  const { curve } = token
  const amount = await share(chain, token.address, from, fraction)
  if (amount === 0n || curve === null) return null
  const quote = async () => {
    const [received] = await chain.client.readContract({ address: curve, abi: curveAbi, functionName: 'quoteSell', args: [amount] })
    return received
  }
  const minWeiOut = await limit(bound, quote)
  return () => sellOnCurve(chain, { from, token: token.address, curve, amount, minWeiOut })
}

interface PoolSwap {
  readonly from: Address
  readonly token: MarketToken
  readonly side: TradeSide
  readonly amountIn: bigint
  readonly route: SwapRoute
}

async function preparePoolSwap(chain: DevChain, intent: PoolSwap): Promise<Sending> {
  const { from, side, amountIn, route } = intent
  const { address: token, quote, pool, venue } = intent.token
  if (venue === 'v4') return prepareV4Swap(withFactories(chain), intent)
  if (pool === null) return null
  const swap = { from, token, quote, side, amountIn }
  // The router takes ETH, which needs no funding.
  const isPaid = side === 'sell' || (route === 'router' && venue === 'ether')
  const fund = isPaid ? null : await prepareFunds(chain, from, quote, amountIn)
  return async () => {
    await fund?.()
    return route === 'router' ? swapThroughRouter(chain, swap) : swapDirectly(chain, { ...swap, pool })
  }
}

async function prepareV4Swap(chain: V4Chain, { from, token, side, amountIn }: PoolSwap): Promise<Sending> {
  const { address, quote } = token
  const auction = await readAuction(chain, poolIdOf(v4KeyOf(chain, address, quote)))
  if (auction.kind === 'wait') return null
  const bid = auction.kind === 'bid' ? bidAbove(auction.gasPeg, 1n + (amountIn % MAX_BID_UNITS)) : undefined
  const fundBid = bid === undefined ? null : await prepareFunds(chain, from, chain.deployment.weth, bid.paid)
  const fund = side === 'sell' ? null : await prepareFunds(chain, from, quote, amountIn)
  return async () => {
    await fundBid?.()
    await fund?.()
    return swapInV4(chain, { from, token: address, quote, side, amountIn, bid })
  }
}

async function prepareV4Claim(chain: DevChain, { creator, address, quote }: MarketToken): Promise<Sending> {
  const v4 = withFactories(chain)
  const currency = (await creatorFees(v4, creator, quote)) > 0n ? quote : address
  return () => claimV4Fees(v4, { from: creator, currency })
}

async function prepareDollarSwap(chain: DevChain, { from, side, wei }: Intent & { kind: 'dollarSwap' }): Promise<Sending> {
  const { dollar } = withFactories(chain).factories
  const swap = { from, token: dollar, side, fee: DOLLAR_POOL_FEE }
  if (side === 'buy') return () => swapThroughRouter(chain, { ...swap, amountIn: wei })
  const amountIn = inQuote(chain, dollar, wei)
  const fund = await prepareFunds(chain, from, dollar, amountIn)
  return async () => {
    await fund()
    return swapThroughRouter(chain, { ...swap, amountIn })
  }
}

/** A step that gets the account what it lacks of a currency, and some for later: WETH for its ETH, dollars as a gift of the deployer. */
async function prepareFunds(chain: DevChain, from: Address, currency: Address, amount: bigint): Promise<() => Promise<unknown>> {
  const { weth, deployer } = chain.deployment
  if ((await balanceOf(chain, currency, from)) >= amount) return () => Promise.resolve()
  const given = amount * FUNDED_TRADES
  if (currency === weth) return () => wrap(chain, { from, amountWei: given })
  return () => transfer(chain, { from: deployer, currency, to: from, amount: given })
}

/** The amount of a currency that is worth an amount of wei. Amounts below `MIN_WORTH` stay as they are. */
function inQuote({ factories }: DevChain, quote: Address, wei: bigint): bigint {
  if (quote !== factories?.dollar || wei < MIN_WORTH) return wei
  return (wei * DOLLARS_PER_ETHER * 10n ** BigInt(DOLLAR_DECIMALS)) / 10n ** 18n
}

/** The token, and its launchpad unless that is the reference launchpad. */
function placeOf({ factories }: DevChain, { address: token, venue }: MarketToken) {
  return { token, launchpad: venue === 'dollar' ? factories?.dollarLaunchpad : undefined }
}

function withFactories({ factories, ...chain }: DevChain): V4Chain {
  if (factories === undefined) throw new TypeError('the chain has no further launchpads')
  return { ...chain, factories }
}

async function limit(bound: Bound, quote: () => Promise<bigint>): Promise<bigint> {
  switch (bound) {
    case 'none':
      return 0n
    case 'hopeless':
      return HOPELESS
    case 'fair':
      return ((await quote()) * FAIR_PERCENT) / 100n
  }
}

async function share(chain: DevChain, token: Address, holder: Address, fraction: number): Promise<bigint> {
  const balance = await balanceOf(chain, token, holder)
  return fraction >= 1 ? balance : (balance * BigInt(Math.floor(fraction * PARTS))) / BigInt(PARTS)
}

function balanceOf(chain: DevChain, currency: Address, holder: Address): Promise<bigint> {
  return chain.client.readContract({ address: currency, abi: tokenAbi, functionName: 'balanceOf', args: [holder] })
}
