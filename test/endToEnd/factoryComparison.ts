import { type Hex, parseAbi } from 'viem'
import { expect } from 'vitest'
import { curveAbi, poolAbi } from '#devchain/abis.ts'
import { creatorFees, poolIdOf, v4KeyOf } from '#devchain/v4Actions.ts'
import { type Address, toAddress } from '#domain/address.ts'
import { formatDecimal, ratio } from '#domain/decimal.ts'
import type { Candle } from '#resources/candles.ts'
import type { Claimable } from '#resources/claimable.ts'
import type { Token } from '#resources/token.ts'
import type { Trade } from '#resources/trades.ts'
import type { FactoriesChain } from '#test/support/factories.ts'
import type { FactoryMarket, FactoryToken } from '#test/support/factoryMarket.ts'
import { readV4Pool } from '#test/support/uniswapV4.ts'
import { ChainComparison } from './chainComparison.ts'
import { FactoryTrades, type PriceFraction, priceAtSqrt } from './factoryTrades.ts'

/** Of values in WETH, which are products of two prices. */
const RELATIVE = 1e-12
/** Of sums of positions: floating point here, and whole smallest units of a currency with six decimals in the answers. */
const POSITIONS = 1e-8

const MODIFY_LIQUIDITY = parseAbi([
  'event ModifyLiquidity(bytes32 indexed id, address indexed sender, int24 tickLower, int24 tickUpper, int256 liquidityDelta, bytes32 salt)',
])

/** Compares tokens of the further launchpads with contracts and their logs: in their own currency exactly, in WETH along the route. */
export class FactoryComparison {
  readonly #chain: FactoriesChain
  readonly #market: FactoryMarket
  readonly #get: <T>(path: string) => Promise<T>
  readonly #onChain: ChainComparison
  readonly #trades: FactoryTrades

  constructor(chain: FactoriesChain, market: FactoryMarket, get: <T>(path: string) => Promise<T>) {
    this.#chain = chain
    this.#market = market
    this.#get = get
    this.#onChain = new ChainComparison(chain, get)
    this.#trades = new FactoryTrades(chain, market)
  }

  /** Everything that the API answers about a token whose newest event is a trade. */
  async expectAsOnChain(one: FactoryToken): Promise<Token> {
    const token = await this.#get<Token>(`/api/tokens/${one.token}`)
    const { abis } = this.#chain.deployment
    for (const functionName of ['name', 'symbol', 'totalSupply'] as const) {
      const read = this.#chain.client.readContract({ address: one.token, abi: abis.token, functionName })
      expect(token[functionName]).toBe(String(await read))
    }
    expect(token.creator).toBe(one.creator)
    const trades = await this.#expectTrades(one, token)
    const last = trades.at(-1) ?? expect.unreachable()
    const worth = await this.#trades.ratesOf(one.quote, last)
    await (one.curve === null ? this.#expectV4(one, token, worth) : this.#expectCurveOrPool(one, one.curve, token, worth))
    await this.#expectCandles(token)
    await this.#onChain.expectHolders(token)
    await this.#onChain.expectTraders(token)
    return token
  }

  async #expectCurveOrPool({ token: address, quote }: FactoryToken, curve: Address, token: Token, worth: number): Promise<void> {
    const { client, deployment, factories } = this.#chain
    const { dollarLaunchpad } = factories
    const launchOf = { address: dollarLaunchpad, abi: deployment.abis.launchpad, functionName: 'launches', args: [address] } as const
    const [, , v3Pool] = await client.readContract(launchOf)
    const read = (functionName: 'realWei' | 'virtualWei' | 'virtualToken' | 'targetWei') =>
      client.readContract({ address: curve, abi: curveAbi, functionName })
    const isGraduated = (await client.readContract({ address: curve, abi: curveAbi, functionName: 'phase' })) === 3
    const pool = isGraduated ? toAddress(v3Pool) : curve
    const reserve = isGraduated ? await this.#market.balanceOf(quote, pool) : await read('realWei')
    expect(token.pool).toMatchObject({
      address: pool,
      type: isGraduated ? 'uniswap-v3' : 'curve',
      quoteToken: quote,
      quoteSymbol: 'DUSD',
      quoteDecimals: 6,
      feeBps: 100,
      reserveQuote: String(reserve),
      reserveToken: String(await this.#market.balanceOf(address, pool)),
    })
    if (isGraduated) {
      const [sqrtPriceX96, tick] = await client.readContract({ address: pool, abi: poolAbi, functionName: 'slot0' })
      expect(token.pool).toMatchObject({ sqrtPriceX96: String(sqrtPriceX96), tick })
      this.#expectPrice(token, priceAtSqrt(sqrtPriceX96, address < quote), worth)
    } else this.#expectPrice(token, [await read('virtualWei'), await read('virtualToken')], worth)
    const { market, graduation, fees } = token
    expectClose(market.liquidityWeth, (2 * Number(reserve) * worth) / 1e18)
    expectClose(graduation.targetWeth, (Number(await read('targetWei')) * worth) / 1e18)
    if (!isGraduated) expectClose(graduation.raisedWeth, (Number(await read('realWei')) * worth) / 1e18)
    expect(graduation).toMatchObject({ status: isGraduated ? 'migrated' : 'bonding', poolAddress: isGraduated ? pool : null })
    // In dollars, of which `/claimable` tells.
    expect(fees).toEqual({ creatorFeeBps: 50, accruedWeth: null, claimedWeth: null, claimableWeth: null })
    const escrowed = (currency: Address) =>
      client.readContract({
        address: dollarLaunchpad,
        abi: deployment.abis.launchpad,
        functionName: 'claimable',
        args: [address, token.creator, currency],
      })
    await this.#expectClaimable(token, escrowed, [quote])
  }

  async #expectV4(one: FactoryToken, token: Token, worth: number): Promise<void> {
    const { deployment, factories } = this.#chain
    const { v4 } = factories
    const id = poolIdOf(v4KeyOf(this.#chain, one.token, one.quote))
    const { sqrt, tick, liquidity } = await readV4Pool(this.#chain, v4.poolManager, id)
    expect(token.pool).toMatchObject({
      address: id,
      type: 'uniswap-v4',
      quoteToken: one.quote,
      quoteSymbol: one.quote === factories.dollar ? 'DUSD' : expect.any(String),
      quoteDecimals: one.quote === factories.dollar ? 6 : 18,
      sqrtPriceX96: String(sqrt),
      tick,
      liquidity: String(liquidity),
    })
    const isFirst = one.token < one.quote
    this.#expectPrice(token, priceAtSqrt(sqrt, isFirst), worth)
    const held = await this.#heldByPool(id, Number(sqrt) / 2 ** 96)
    const [heldToken, heldQuote] = isFirst ? held : [held[1], held[0]]
    expectClose(token.pool?.reserveToken ?? null, heldToken, POSITIONS)
    expectClose(token.pool?.reserveQuote ?? null, heldQuote, POSITIONS)
    expectClose(token.market.liquidityWeth, (2 * heldQuote * worth) / 1e18, POSITIONS)
    expect(token.graduation.status).toBe('none')
    const available = (currency: Address) => creatorFees(this.#chain, one.creator, currency)
    await this.#expectClaimable(token, available, [deployment.weth, one.quote, one.token])
  }

  /** What the positions of a Uniswap v4 pool amount to at a square root of its price. */
  async #heldByPool(id: Hex, sqrt: number): Promise<readonly [number, number]> {
    const { poolManager } = this.#chain.factories.v4
    const changes = await this.#chain.client.getContractEvents({ address: poolManager, abi: MODIFY_LIQUIDITY, args: { id }, fromBlock: 0n })
    const held = changes.map(({ args: { tickLower = 0, tickUpper = 0, liquidityDelta = 0n } }) => {
      const [lower, upper] = [tickLower, tickUpper].map(tick => Math.exp((tick / 2) * Math.log1p(1e-4))) as [number, number]
      const within = Math.min(Math.max(sqrt, lower), upper)
      return [Number(liquidityDelta) * (1 / within - 1 / upper), Number(liquidityDelta) * (within - lower)] as const
    })
    return [held.reduce((sum, [first]) => sum + first, 0), held.reduce((sum, [, second]) => sum + second, 0)]
  }

  /** @param worth of a smallest unit of the quote currency, in wei */
  #expectPrice({ market, decimals, totalSupply, pool }: Token, [quote, tokens]: PriceFraction, worth: number): void {
    expect(decimals).toBe(18)
    const scale = 10n ** BigInt(18 - (pool?.quoteDecimals ?? 18))
    // The index has 10^18 smallest units of the currency per whole token; a currency's decimals move the point.
    expect(significant(market.priceQuote)).toBe(significant(formatDecimal(ratio(quote, tokens) ?? expect.unreachable())))
    expectClose(market.priceQuote, (Number(quote) * Number(scale)) / Number(tokens))
    const inWeth = (Number(quote) * worth) / Number(tokens)
    expectClose(market.priceWeth, inWeth)
    expectClose(market.marketCapWeth, (inWeth * Number(totalSupply)) / 1e18)
  }

  async #expectClaimable(token: Token, held: (currency: Address) => Promise<bigint>, currencies: readonly Address[]): Promise<void> {
    const { claimable } = await this.#get<Claimable>(`/api/tokens/${token.address}/claimable?creator=${token.creator}`)
    for (const { currency, amount } of claimable) {
      if (currency !== ZERO) expect([currency, amount]).toEqual([currency, String(await held(currency))])
    }
    expect(claimable.map(({ currency }) => currency)).toEqual(expect.arrayContaining([...currencies]))
  }

  async #expectCandles({ address, market }: Token): Promise<void> {
    const { data: candles } = await this.#get<{ data: Candle[] }>(`/api/tokens/${address}/candles?interval=1m&limit=500`)
    expect(candles.at(-1)?.close).toBe(market.priceWeth)
    expect(Math.max(...candles.map(({ high }) => Number(high)))).toBe(Number(market.athPriceWeth))
    for (const [index, { open }] of candles.entries()) expect(open).toBe(candles[index - 1]?.close ?? open)
  }

  /** All trades, by the logs of curves and pools; what they were worth by the route's pools just before. */
  async #expectTrades(one: FactoryToken, { market }: Token): ReturnType<FactoryTrades['of']> {
    const expected = await this.#trades.of(one)
    const { data: trades } = await this.#get<{ data: Trade[] }>(`/api/tokens/${one.token}/trades?limit=500&order=asc`)
    const shown = trades.map(({ blockNumber, logIndex, side, maker, amountToken, amountQuote }) => [
      blockNumber,
      logIndex,
      side,
      maker,
      amountToken,
      amountQuote,
    ])
    expect(shown).toEqual(
      expected.map(({ block, logIndex, side, maker, tokens, quote }) => [
        String(block),
        logIndex,
        side,
        maker,
        String(tokens),
        String(quote),
      ]),
    )
    expect(market.tradeCount).toBe(expected.length)
    for (const [index, trade] of expected.entries()) {
      const worth = await this.#trades.ratesOf(one.quote, trade)
      expectClose(trades[index]?.amountWeth ?? null, (Number(trade.quote) * worth) / 1e18)
      expectClose(trades[index]?.feeWeth ?? null, (Number(trade.fee) * worth) / 1e18)
    }
    return expected
  }
}

const ZERO = toAddress('0x0000000000000000000000000000000000000000')

/** The digits of a number, without where its point is. */
function significant(text: string | null): string | null {
  return text === null ? null : text.replace('.', '').replace(/^0+|0+$/g, '')
}

/** Amounts are whole wei. */
function expectClose(actual: string | null, expected: number, relative = RELATIVE): void {
  expect(Math.abs(Number(actual ?? Number.NaN) - expected)).toBeLessThanOrEqual(expected * relative + 1.000_001e-18)
}
