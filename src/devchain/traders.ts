import { type Address, toAddress } from '#domain/address.ts'
import type { DevChain } from './actions.ts'
import { type Cast, decideBlock } from './traders/decide.ts'
import { afterBlock, EMPTY_MARKET, type MarketToken, type SimulatedMarket, type Venue } from './traders/market.ts'
import type { Random } from './traders/random.ts'
import { readNewestBlock } from './traders/readNewestBlock.ts'
import { sendIntents } from './traders/sendIntents.ts'

/** The chain's first accounts are left for manual use. */
const FIRST_TRADER = 10
const CREATORS = 8
/** Accounts that the traders need on the chain. */
export const ACCOUNTS_FOR_TRADERS = 50

/** Blocks between two refills of the wallets: trading costs fees, and a run can last for days. */
const REFILL_BLOCKS = 500
const WALLET_WEI = 10_000n * 10n ** 18n

export interface TradersOptions {
  readonly chain: DevChain
  readonly random: Random
}

/** Counts since the start. */
export interface TraderStats {
  readonly blocks: number
  readonly transactions: number
  /** Mined but reverted, for example because the price moved beyond the slippage limit. */
  readonly reverted: number
  /** Rejected by the node. */
  readonly refused: number
  readonly launched: number
  readonly graduated: number
}

/** Simulated creators and traders. They mine one block after another. */
export interface Traders {
  /**
   * Sends the transactions of a block and mines it.
   *
   * @param timestamp of the block, Unix seconds; default: the chain's clock
   * @throws the RPC error when the chain does not answer; a failed trade is not an error
   */
  block(actions: number, timestamp?: number): Promise<void>
  stats(): TraderStats
  /** The most traded token; `null` before the first launch. */
  busiestToken(): Address | null
}

/**
 * Traders for a chain with `ACCOUNTS_FOR_TRADERS` unlocked accounts that mines on request. The same chain, seed and calls give the
 * same transactions in the same order.
 */
export async function createTraders({ chain, random }: TradersOptions): Promise<Traders> {
  const { client } = chain
  const accounts = (await client.getAddresses()).map(toAddress)
  if (accounts.length < ACCOUNTS_FOR_TRADERS) throw new Error(`the traders need ${ACCOUNTS_FOR_TRADERS} unlocked accounts`)
  const crowd = accounts.slice(FIRST_TRADER, ACCOUNTS_FOR_TRADERS)
  const venues: readonly Venue[] = chain.factories === undefined ? ['ether'] : ['ether', 'dollar', 'v4']
  const cast: Cast = { creators: crowd.slice(0, CREATORS), wallets: crowd, venues }
  const canSell = new Set(crowd)
  let market: SimulatedMarket = EMPTY_MARKET
  let stats: TraderStats = { blocks: 0, transactions: 0, reverted: 0, refused: 0, launched: 0, graduated: 0 }

  const block = async (actions: number, timestamp?: number): Promise<void> => {
    if (stats.blocks % REFILL_BLOCKS === REFILL_BLOCKS - 1) {
      await Promise.all(crowd.map(address => client.setBalance({ address, value: WALLET_WEI })))
    }
    const { refused } = await sendIntents(chain, decideBlock(market, cast, random, actions))
    if (timestamp !== undefined) await client.setNextBlockTimestamp({ timestamp: BigInt(timestamp) })
    await client.mine({ blocks: 1 })
    const mined = await readNewestBlock(chain)
    market = afterBlock(market, mined.events, canSell, random)
    const count = (kind: 'launched' | 'graduated') => mined.events.filter(event => event.kind === kind).length
    stats = {
      blocks: stats.blocks + 1,
      transactions: stats.transactions + mined.transactions,
      reverted: stats.reverted + mined.reverted,
      refused: stats.refused + refused,
      launched: stats.launched + count('launched'),
      graduated: stats.graduated + count('graduated'),
    }
  }
  const busiestToken = () => {
    const traded = [...market.tokens.values()].filter(token => token.phase !== 'complete' && token.holders.length > 0)
    return (
      traded.reduce<MarketToken | null>((best, token) => (best !== null && best.heat >= token.heat ? best : token), null)?.address ?? null
    )
  }
  return { block, stats: () => stats, busiestToken }
}
