import { type Hex, parseEther } from 'viem'
import { buyOnCurve, type Launched, type LaunchOptions, launch, readLaunched } from '#devchain/actions.ts'
import type { TestChain } from './chain.ts'

/** A token of a chain's launchpad whose creator is the second account, and which the third account buys. */
export interface TradedToken extends Launched {
  /** Mines a purchase in a block of its own. Returns the number of the block. */
  buy(): Promise<number>
  /** Sends a purchase without mining. */
  queueBuy(): Promise<Hex>
}

/** Launches a token in a block of its own, "Alpha" by default. */
export async function launchToken(chain: TestChain, options: Partial<LaunchOptions> = {}): Promise<TradedToken> {
  const launched = readLaunched(await chain.mined(launch(chain, { from: chain.account(1), name: 'Alpha', symbol: 'ALP', ...options })))
  // No two pay the same, so that each has a transaction of its own, on every branch of the chain.
  let paidWei = parseEther('0.0001')
  const queueBuy = () => buyOnCurve(chain, { from: chain.account(2), curve: launched.curve, paidWei: paidWei++ })
  return { ...launched, queueBuy, buy: async () => Number((await chain.mined(queueBuy())).blockNumber) }
}
