import type { LaunchpadsConfig } from '#config'
import { type Address, type Hex, isEther } from '#domain/address.ts'
import { type Decimal, max, multiply, ONE, powerOfTen, ratio, units } from '#domain/decimal.ts'
import { MAX_POOLS_TO_WETH, quoteInRange, WETH_DECIMALS } from '#domain/prices.ts'
import type { LaunchpadAdapter } from '#launchpads/adapter.ts'
import type { PoolRow } from '#tables/pool.ts'
import type { TokenRow } from '#tables/token.ts'
import { currentPool, type Draft, type TokenDraft } from './draft.ts'

/** The configuration and the price by which amounts and prices are valued. */
export interface Valuation {
  readonly weth: Address
  /** USD per ETH by price providers at the moment, used only without `dollars`; `null`: not known. */
  readonly providedEthUsd: Decimal | null
  /** The configured pools of each quote currency. */
  readonly quotePools: ReadonlyMap<Address, readonly Hex[]>
  /** Currencies besides WETH whose smallest unit is always worth one wei. */
  readonly etherWrappers: ReadonlySet<Address>
  /** The value in USD of 10^18 smallest units of each currency that the configuration pegs to USD. */
  readonly pegs: ReadonlyMap<Address, Decimal>
  /** The pegged currencies with configured pools, from which the price of ETH follows, in the order of the configuration. */
  readonly dollars: readonly Address[]
}

/** A valuation without the providers' price of ETH. */
export type ConfiguredValuation = Omit<Valuation, 'providedEthUsd'>

/** The valuation by the configuration. */
export function valuationOf(
  { weth, pegUsd = [] }: { readonly weth: Address; readonly pegUsd?: LaunchpadsConfig['pegUsd'] },
  adapters: readonly Pick<LaunchpadAdapter, 'quotePool' | 'etherWrapper'>[],
): ConfiguredValuation {
  const byCurrency = Map.groupBy(
    adapters.flatMap(({ quotePool }) => quotePool ?? []),
    ({ source }) => source.token,
  )
  return {
    weth,
    quotePools: new Map([...byCurrency].map(([currency, pools]) => [currency, pools.map(({ key }) => key)])),
    etherWrappers: new Set(adapters.flatMap(({ etherWrapper }) => etherWrapper ?? [])),
    pegs: new Map(pegUsd.map(({ token, decimals }) => [token, units(powerOfTen(18), decimals)])),
    dollars: pegUsd.flatMap(({ token }) => (byCurrency.has(token) ? [token] : [])),
  }
}

/**
 * USD per ETH by the present state of the pools between ether and the first pegged currency with a price in them, so that a trade has the
 * same value in every index. Without such pools, the price of providers. `null`: not known.
 */
export function ethUsdOf(draft: Draft, valuation: Valuation): Decimal | null {
  const { dollars, pegs, providedEthUsd } = valuation
  if (dollars.length === 0) return providedEthUsd
  for (const dollar of dollars) {
    const [peg, rate] = [pegs.get(dollar), rateInEther(draft, dollar, valuation)]
    if (peg !== undefined && rate !== null && rate > 0n) return ratio(peg, rate)
  }
  return null
}

/** The values of 10^18 smallest units of a currency; `null`: not known. */
export interface Rates {
  readonly weth: Decimal | null
  /** The value by a peg: for a pegged currency, or for one without a rate in WETH whose pools lead to a pegged one. */
  readonly usd: Decimal | null
}

/** The rates of a currency by the present state of pools. */
export function ratesOf(draft: Draft, currency: Address, valuation: Valuation): Rates {
  const { pegs } = valuation
  const weth = rateInEther(draft, currency, valuation)
  const toPeg = (end: Address) => pegs.get(end) ?? null
  return { weth, usd: toPeg(currency) ?? (weth === null && pegs.size > 0 ? rateOf(draft, currency, valuation, toPeg) : null) }
}

function rateInEther(draft: Draft, currency: Address, valuation: Valuation): Decimal | null {
  return rateOf(draft, currency, valuation, end => (isInEther(end, valuation) ? ONE : null))
}

/**
 * The value of 10^18 smallest units of a currency by the present state of pools: the configured ones, and the currency's own market if it
 * is an indexed token. Of several pools, the deepest counts. `null`: no pool leads to a known rate.
 *
 * @param rateAtEnd the rate of a currency at which a route ends; `null`: the route goes on
 */
function rateOf(
  draft: Draft,
  currency: Address,
  valuation: Pick<Valuation, 'quotePools'>,
  rateAtEnd: (currency: Address) => Decimal | null,
  pools = MAX_POOLS_TO_WETH,
): Decimal | null {
  const end = rateAtEnd(currency)
  if (end !== null || pools === 0) return end
  const configured = (valuation.quotePools.get(currency) ?? []).map(address => ({ address, decimals: WETH_DECIMALS }))
  const market = quoteMarket(draft, currency)
  const candidates = market === undefined ? configured : [...configured, { address: market.mainPool, decimals: market.decimals }]
  let best: { readonly rate: Decimal; readonly depth: Decimal } | null = null
  for (const { address, decimals } of candidates) {
    const pool = currentPool(draft, address)
    if (pool === undefined || pool.price === null) continue
    const onward = rateOf(draft, pool.quoteToken, valuation, rateAtEnd, pools - 1)
    const rate = priceAt(perSmallestUnits(pool.price, decimals), onward)
    const depth = valueOf(pool.reserveQuote ?? quoteInRange(pool), onward) ?? NOTHING
    if (rate !== null && (best === null || depth > best.depth)) best = { rate, depth }
  }
  return best?.rate ?? null
}

const NOTHING = units(0n, 0)

/** The market of a currency that is an indexed token. */
function quoteMarket({ tokens, rows }: Draft, currency: Address): Pick<TokenRow, 'mainPool' | 'decimals'> | undefined {
  return tokens.get(currency) ?? rows.tokens.get(currency) ?? rows.quotes.get(currency)
}

/** Turns a price per whole token into a price per 10^18 smallest units. */
function perSmallestUnits(price: Decimal, decimals: number): Decimal | null {
  return decimals === WETH_DECIMALS ? price : ratio(price * powerOfTen(WETH_DECIMALS), ONE * powerOfTen(decimals))
}

/** Converts a price, or another decimal in 10^18 smallest units of a currency, at the rate. */
export function priceAt(price: Decimal | null, rate: Decimal | null): Decimal | null {
  if (price === null || rate === null) return null
  return rate === ONE ? price : multiply(price, rate)
}

/** Converts an amount in a currency's smallest units to wei, at the rate. */
export function weiAt(amount: bigint | null, rate: Decimal | null): bigint | null {
  if (amount === null || rate === null) return null
  return rate === ONE ? amount : (amount * rate) / ONE
}

/** Whether the token's main pool is quoted in ether; `false` as long as there is none. */
export function isQuotedInEther(draft: Draft, { mainPool }: TokenDraft, valuation: Valuation): boolean {
  const pool = currentPool(draft, mainPool)
  return pool !== undefined && isInEther(pool.quoteToken, valuation)
}

function isInEther(currency: Address, { weth, etherWrappers }: Valuation): boolean {
  return isEther(currency, weth) || etherWrappers.has(currency)
}

/**
 * Values the token at an event of its market: sets its present, first and highest price. Changes none of them as long as the main pool has
 * no price.
 */
export function valueMarket(draft: Draft, token: TokenDraft, valuation: Valuation): void {
  if (!revalue(draft, token, valuation)) return
  const { priceWeth } = token
  token.eventPriceWeth = priceWeth
  if (priceWeth === null) return
  token.firstPriceWeth ??= priceWeth
  token.athPriceWeth = token.athPriceWeth === null ? priceWeth : max(token.athPriceWeth, priceWeth)
}

/**
 * Values the token by the present state of its main pool and of the pools that its currency's rate depends on. Without an event of its
 * market, this changes only the present values: no candle, no price change, no highest price.
 *
 * @returns whether the main pool has a price
 */
export function revalue(draft: Draft, token: TokenDraft, valuation: Valuation): boolean {
  const pool = currentPool(draft, token.mainPool)
  if (pool === undefined) return false
  const { weth, usd } = ratesOf(draft, pool.quoteToken, valuation)
  token.quoteToken = isInEther(pool.quoteToken, valuation) ? null : pool.quoteToken
  token.quoteRate = weth
  token.quoteUsd = usd
  if (pool.price === null) return false
  token.priceQuote = pool.price
  token.priceWeth = priceAt(pool.price, weth)
  return true
}

/** The liquidity in WETH: twice the pool's reserve of the quote currency, so that a move from a curve to a pool does not change it. */
export function liquidityOf(pool: PoolRow, rate: Decimal | null): Decimal | null {
  return valueOf(pool.reserveQuote === null ? null : 2n * pool.reserveQuote, rate)
}

function valueOf(quote: bigint | null, rate: Decimal | null): Decimal | null {
  return quote === null ? null : priceAt(units(quote, WETH_DECIMALS), rate)
}
