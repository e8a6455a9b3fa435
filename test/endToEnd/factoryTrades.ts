import { type Log, parseEventLogs } from 'viem'
import { expect } from 'vitest'
import { curveAbi, poolAbi } from '#devchain/abis.ts'
import { poolIdOf, v4KeyOf } from '#devchain/v4Actions.ts'
import { type Address, toAddress } from '#domain/address.ts'
import type { FactoriesChain } from '#test/support/factories.ts'
import type { FactoryMarket, FactoryToken } from '#test/support/factoryMarket.ts'
import { POOL_MANAGER_EVENTS } from '#test/support/uniswapV4.ts'

const Q192 = 2n ** 192n

/** A fraction: units of the quote currency per unit of the token. */
export type PriceFraction = readonly [quote: bigint, token: bigint]

interface Moment {
  readonly block: bigint
  readonly logIndex: number
}

interface TradeOnChain extends Moment {
  readonly side: string
  readonly maker: Address
  readonly tokens: bigint
  readonly quote: bigint
  readonly fee: bigint
}

/** The trades of the further launchpads' tokens, and what their currencies were worth, by the logs of a chain that no longer changes. */
export class FactoryTrades {
  readonly #chain: FactoriesChain
  readonly #market: FactoryMarket
  #logs: Promise<Log[]> | null = null

  constructor(chain: FactoriesChain, market: FactoryMarket) {
    this.#chain = chain
    this.#market = market
  }

  /** By the logs of the token's curve and pool, in order. */
  async of({ token, curve, quote }: FactoryToken): Promise<readonly TradeOnChain[]> {
    const { client } = this.#chain
    const logs = await this.#allLogs()
    const isFirst = token < quote
    const id = poolIdOf(v4KeyOf(this.#chain, token, quote))
    const at = ({ blockNumber, logIndex }: Log) => ({ block: blockNumber ?? 0n, logIndex: logIndex ?? 0 })
    const trades: TradeOnChain[] = []
    const ofPool = async (log: Log, amounts: readonly [bigint, bigint], feePips: bigint) => {
      const [ofToken, ofQuote] = isFirst ? amounts : [amounts[1], amounts[0]]
      const { from } = await client.getTransaction({ hash: log.transactionHash ?? '0x' })
      const [tokens, paid] = [abs(ofToken), abs(ofQuote)]
      const isBuy = ofQuote > 0n || ofToken < 0n
      const fee = isBuy ? (paid * feePips + 999_999n) / 1_000_000n : (paid * feePips) / (1_000_000n - feePips)
      trades.push({ ...at(log), side: isBuy ? 'buy' : 'sell', maker: await this.#makerOf(log, toAddress(from)), tokens, quote: paid, fee })
    }
    if (curve === null) {
      for (const log of parseEventLogs({ abi: POOL_MANAGER_EVENTS, eventName: 'Swap', logs })) {
        if (log.args.id === id) await ofPool(log, [-log.args.amount0, -log.args.amount1], BigInt(log.args.fee))
      }
      return trades
    }
    const pool = { address: this.#chain.factories.dollarLaunchpad, abi: this.#chain.deployment.abis.launchpad } as const
    const [, , v3Pool] = await client.readContract({ ...pool, functionName: 'launches', args: [token] })
    for (const log of parseEventLogs({ abi: [...curveAbi, ...poolAbi], logs })) {
      if (toAddress(log.address) === curve && log.eventName === 'Bought') {
        const { buyer, paidWei, feeWei, tokenAmount } = log.args
        trades.push({ ...at(log), side: 'buy', maker: toAddress(buyer), tokens: tokenAmount, quote: paidWei, fee: feeWei })
      } else if (toAddress(log.address) === curve && log.eventName === 'Sold') {
        const { seller, receivedWei, feeWei, tokenAmount } = log.args
        trades.push({ ...at(log), side: 'sell', maker: toAddress(seller), tokens: tokenAmount, quote: receivedWei, fee: feeWei })
      } else if (log.address === v3Pool.toLowerCase() && log.eventName === 'Swap') {
        await ofPool(log, [log.args.amount0, log.args.amount1], 10_000n)
      }
    }
    return trades
  }

  /** A launch's own buy is made for its creator, and not for the sender of the launch. */
  async #makerOf(log: Log, sender: Address): Promise<Address> {
    const { to } = await this.#chain.client.getTransaction({ hash: log.transactionHash ?? '0x' })
    const isLaunch = to === this.#chain.factories.v4.launchpad
    return isLaunch ? this.#market.account(2) : sender
  }

  #allLogs(): Promise<Log[]> {
    this.#logs ??= this.#chain.client.getLogs({ fromBlock: 0n })
    return this.#logs
  }

  /** Wei per smallest unit of a currency, just before a log. */
  async ratesOf(currency: Address, moment: Moment): Promise<number> {
    const { deployment, factories } = this.#chain
    const { weth } = deployment
    if (currency === weth) return 1
    const isBefore = ({ blockNumber, logIndex }: Log) =>
      (blockNumber ?? 0n) < moment.block || (blockNumber === moment.block && (logIndex ?? 0) < moment.logIndex)
    const logs = (await this.#allLogs()).filter(isBefore)
    if (currency === factories.dollar) {
      const ofPool = logs.filter(({ address }) => address === factories.dollarPool)
      const newest = parseEventLogs({ abi: poolAbi, eventName: ['Initialize', 'Swap'], logs: ofPool }).at(-1)
      return toNumber(priceAtSqrt(newest?.args.sqrtPriceX96 ?? 0n, currency < weth))
    }
    const parent = [...this.#market.tokens.values()].find(({ token }) => token === currency) ?? expect.unreachable()
    const id = poolIdOf(v4KeyOf(this.#chain, parent.token, parent.quote))
    const ofPool = logs.filter(({ topics }) => topics[1] === id)
    const newest = parseEventLogs({ abi: POOL_MANAGER_EVENTS, eventName: ['Initialize', 'Swap'], logs: ofPool }).at(-1)
    return toNumber(priceAtSqrt(newest?.args.sqrtPriceX96 ?? 0n, parent.token < parent.quote)) * (await this.ratesOf(parent.quote, moment))
  }
}

export function priceAtSqrt(sqrtPriceX96: bigint, tokenIsToken0: boolean): PriceFraction {
  return tokenIsToken0 ? [sqrtPriceX96 ** 2n, Q192] : [Q192, sqrtPriceX96 ** 2n]
}

function toNumber([quote, token]: PriceFraction): number {
  return Number(quote) / Number(token)
}

function abs(value: bigint): bigint {
  return value < 0n ? -value : value
}
