import { type Address, type Hex, toAddress, ZERO_ADDRESS } from '#domain/address.ts'
import { ratio } from '#domain/decimal.ts'
import type { EventPosition, PoolFacts, TokenEvent } from '#launchpads/tokenEvent.ts'
import { addressOf, hashOf } from './hex.ts'
import { nameOf } from './names.ts'
import { createRandom, type Random } from './random.ts'
import { blockAt, FIRST_BLOCK, type GrowthScale, timeOf } from './scale.ts'
import type { TokenPlan } from './tokenPlan.ts'

export const WETH = toAddress('0x4200000000000000000000000000000000000006')
const OTHER_QUOTE = addressOf('contract', 99)
const DEAD = toAddress('0x000000000000000000000000000000000000dead')
export const SUPPLY = 10n ** 27n
const PRICE_UNITS = 10n ** 30n
/** The log indexes per token and block: two tokens never share a log index. */
const PLACES = 8

interface Market {
  /** What the pool still has to sell. */
  reserve: bigint
  /** WETH per token. */
  price: number
  readonly wallets: number[]
  readonly balances: bigint[]
  newest: number
  accrued: bigint
  claimed: bigint
}

/** All events of a token in chain order. */
export function tokenEvents(scale: GrowthScale, plan: TokenPlan): TokenEvent[] {
  const random = createRandom(Math.imul(scale.seed, 0x27d4eb2f) ^ Math.imul(plan.rank + 1, 0xc2b2ae35))
  const market: Market = {
    reserve: SUPPLY,
    price: random.spread(2e-9, 4e-8),
    wallets: [],
    balances: [],
    newest: 0,
    accrued: 0n,
    claimed: 0n,
  }
  const places = placesOf(scale, plan)
  const events = launch(plan, places(0), market, random)
  const graduatesAt = plan.fate === 'completed' ? plan.trades : plan.fate === 'migrated' ? Math.min(Math.ceil(plan.trades * 0.4), 400) : -1
  for (let index = 1; index <= plan.trades; index++) {
    const at = places(index)
    trade(events, plan, at, market, random, scale.wallets, plan.fate === 'none' || (plan.fate === 'migrated' && index > graduatesAt))
    if (index === graduatesAt) graduate(events, plan, at, market)
    if (market.accrued > market.claimed && random.chance(0.01)) claim(events, plan, at, market)
  }
  return events
}

/** Assigns each trade a block and a log index that no other token uses. To be called in order. */
function placesOf(scale: GrowthScale, { rank, times, address }: TokenPlan): (index: number) => EventPosition & { readonly token: Address } {
  let block = 0
  let place = 0
  return index => {
    const wanted = Math.max(FIRST_BLOCK, blockAt(scale, times[index] ?? 0))
    if (wanted > block) {
      block = wanted
      place = 0
    } else if (++place === PLACES) {
      block++
      place = 0
    }
    return {
      token: address,
      blockNumber: block,
      blockHash: hashOf('block', block),
      timestamp: timeOf(scale, block),
      txHash: hashOf('transaction', rank * 1_048_576 + index),
      txIndex: index % 100,
      logIndex: rank * PLACES + place,
    }
  }
}

type At = EventPosition & { readonly token: Address }

function launch(plan: TokenPlan, at: At, market: Market, random: Random): TokenEvent[] {
  const { launchpad, creator, fate, curve } = plan
  const { symbol, name } = nameOf(random)
  const status = fate === 'none' ? 'none' : 'bonding'
  const events: TokenEvent[] = [
    {
      ...at,
      kind: 'launch',
      launchpad,
      creator,
      symbol,
      name,
      decimals: 18,
      surface: surfaceOf(plan.rank),
      metadataUri: `ipfs://bafybei${at.txHash.slice(2, 54)}`,
      creatorFeeBps: 50,
      feesReported: { accrued: true, claimed: true },
      graduation: { status, target: fate === 'none' ? null : 4n * 10n ** 18n },
    },
    { ...at, kind: 'poolCreated', pool: facts(plan, curve, fate === 'none' ? 'uniswap-v3' : 'curve'), main: true },
    { ...at, kind: 'transfer', from: ZERO_ADDRESS, to: curve, amount: SUPPLY },
    poolChange(plan, at, curve, market),
  ]
  if (random.chance(0.3)) give(events, at, curve, creator, market, 50n)
  if (random.chance(0.02)) give(events, at, curve, addressOf('contract', plan.rank % 5), market, 20n)
  if (random.chance(0.01)) give(events, at, curve, DEAD, market, 100n)
  return events
}

/** Front ends of launches: one of many tokens, and one of few. */
export const SURFACES = ['common', 'rare'] as const

function surfaceOf(rank: number): string | null {
  const [common, rare] = SURFACES
  return rank % 1_000 === 500 ? rare : rank % 10 === 0 ? common : null
}

function give(events: TokenEvent[], at: At, from: Address, to: Address, market: Market, part: bigint): void {
  const amount = SUPPLY / part
  market.reserve -= amount
  events.push({ ...at, kind: 'transfer', from, to, amount })
}

function trade(events: TokenEvent[], plan: TokenPlan, at: At, market: Market, random: Random, wallets: number, inPool: boolean): void {
  const pool = plan.fate !== 'none' && inPool ? (plan.pool as Address) : plan.curve
  const buys = market.wallets.length === 0 || random.chance(plan.buys)
  const { wallet, amount } = buys ? buyer(plan, market, random) : seller(plan, market, random)
  const maker = addressOf('wallet', (plan.rank * 7_919 + wallet * 104_729) % wallets)
  market.price = Math.min(1e-4, Math.max(1e-10, market.price * Math.exp((buys ? 1 : -1.2) * random.unit() * 0.02)))
  market.reserve += buys ? -amount : amount
  const [from, to] = buys ? [pool, maker] : [maker, pool]
  events.push({ ...at, kind: 'transfer', from, to, amount }, poolChange(plan, at, pool, market))
  const netWei = BigInt(Math.floor(Number(amount) * market.price)) + 1n
  const feeWei = netWei / 100n
  events.push({
    ...at,
    kind: 'trade',
    pool,
    phase: inPool ? 'pool' : 'curve',
    side: buys ? 'buy' : 'sell',
    maker,
    amountToken: amount,
    amountQuote: buys ? netWei + feeWei : netWei - feeWei,
    feeQuote: feeWei,
  })
  if (plan.fate !== 'none' && !inPool)
    events.push({ ...at, kind: 'curveProgress', raised: { mode: 'move', quote: buys ? netWei / 8n : -netWei / 9n } })
  if (!plan.quotedInWeth) return
  market.accrued += feeWei / 2n
  events.push({ ...at, ...feeOf(plan), accrued: feeWei / 2n, claimed: 0n })
}

/** A share of the remaining tokens, so small that a busy token never runs out. */
function buyer({ trades, newHolders }: TokenPlan, market: Market, random: Random): { readonly wallet: number; readonly amount: bigint } {
  const share = random.spread(1e-6, Math.min(0.02, Math.max(1e-4, 20 / trades)))
  const amount = BigInt(Math.floor(Number(market.reserve) * share)) + 1n
  if (market.wallets.length === 0 || random.chance(newHolders)) {
    market.wallets.push(market.newest)
    market.balances.push(amount)
    return { wallet: market.newest++, amount }
  }
  const index = random.integer(0, market.wallets.length - 1)
  market.balances[index] = (market.balances[index] ?? 0n) + amount
  return { wallet: market.wallets[index] ?? 0, amount }
}

function seller({ fullSales }: TokenPlan, market: Market, random: Random): { readonly wallet: number; readonly amount: bigint } {
  const { wallets, balances } = market
  const index = random.integer(0, wallets.length - 1)
  const [wallet, balance] = [wallets[index] ?? 0, balances[index] ?? 0n]
  if (balance >= 2n && !random.chance(fullSales)) {
    balances[index] = balance - balance / 2n
    return { wallet, amount: balance / 2n }
  }
  const [lastWallet, lastBalance] = [wallets.pop() ?? 0, balances.pop() ?? 0n]
  if (index < wallets.length) {
    wallets[index] = lastWallet
    balances[index] = lastBalance
  }
  return { wallet, amount: balance }
}

function graduate(events: TokenEvent[], plan: TokenPlan, at: At, market: Market): void {
  events.push({ ...at, kind: 'completed', raised: 4n * 10n ** 18n })
  if (plan.fate !== 'migrated') return
  const pool = plan.pool as Address
  events.push(
    { ...at, kind: 'poolCreated', pool: facts(plan, pool, 'uniswap-v3'), main: false },
    { ...at, kind: 'transfer', from: plan.curve, to: pool, amount: market.reserve },
    poolChange(plan, at, pool, market),
    { ...at, kind: 'migrated', pool },
  )
}

function claim(events: TokenEvent[], plan: TokenPlan, at: At, market: Market): void {
  events.push({ ...at, ...feeOf(plan), accrued: 0n, claimed: market.accrued - market.claimed })
  market.claimed = market.accrued
}

function feeOf({ launchpad, creator }: TokenPlan) {
  return { kind: 'creatorFee', launchpad, creator, currency: WETH, scope: 'token' } as const
}

function poolChange(plan: TokenPlan, at: At, pool: Hex, market: Market): TokenEvent {
  const inPool = plan.fate === 'none' || pool === plan.pool
  return {
    ...at,
    kind: 'poolChanged',
    pool,
    reserves: { mode: 'set', token: market.reserve, quote: BigInt(Math.floor(Number(market.reserve) * market.price)) },
    price: ratio(BigInt(Math.floor(market.price * 1e20)) * 10n ** 10n, PRICE_UNITS),
    concentrated: inPool
      ? { sqrtPriceX96: BigInt(Math.floor(Math.sqrt(market.price) * 2 ** 48)) << 48n, tick: 0, liquidity: 10n ** 21n }
      : null,
    liquidityChange: null,
  }
}

function facts({ address, quotedInWeth }: TokenPlan, pool: Hex, type: PoolFacts['type']): PoolFacts {
  const quoteToken = quotedInWeth ? WETH : OTHER_QUOTE
  return { address: pool, type, quoteToken, tokenIsToken0: address < quoteToken, feeBps: 100 }
}
