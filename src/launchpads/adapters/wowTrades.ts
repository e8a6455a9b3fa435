import { toEventSelector } from 'viem/utils'
import type { Address, Hex } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import type { TradeSide } from '#domain/trade.ts'
import { type DecodedTransaction, decodeEach, type TransactionLogs } from '#launchpads/adapter.ts'
import { SWAP_TOPIC } from '#launchpads/pools/uniswapV3.ts'
import { eventPosition, poolChanged, type TokenEvent, type TokenEventPosition } from '#launchpads/tokenEvent.ts'
import { addressTopic, wordsByName, wordsOf } from '#launchpads/words.ts'
import { WOW_CURVE_SUPPLY, wowPriceAfter } from './wowCurve.ts'

const HEAD = 'address,address,address,uint256,uint256,uint256,uint256,uint256,string'

interface TradeTopic {
  readonly side: TradeSide
  readonly withSupply: boolean
}

/** The events of some tokens report the supply after the trade. */
const TRADES: ReadonlyMap<Hex, TradeTopic> = new Map([
  [toEventSelector(`WowTokenBuy(${HEAD},uint256,uint8)`), { side: 'buy', withSupply: true }],
  [toEventSelector(`WowTokenBuy(${HEAD},uint8)`), { side: 'buy', withSupply: false }],
  [toEventSelector(`WowTokenSell(${HEAD},uint256,uint8)`), { side: 'sell', withSupply: true }],
  [toEventSelector(`WowTokenSell(${HEAD},uint8)`), { side: 'sell', withSupply: false }],
])
const FEES = toEventSelector('WowTokenFees(address,address,address,address,uint256,uint256,uint256,uint256)')
const GRADUATED = toEventSelector('WowMarketGraduated(address,address,uint256,uint256,uint256,uint8)')

export const TOKEN_TOPICS: readonly Hex[] = [...TRADES.keys(), FEES, GRADUATED]

const ON_CURVE = 0n

/** What earlier logs of a transaction report about one token. */
interface TokenProgress {
  /** It has graduated, and the log of the buy that caused it is still to come. */
  graduating: boolean
  /** The log index of the pool's last swap, until a trade through the token claims it. */
  swap: number | null
  /** The fee of the next trade as it was shared out. Each share is rounded down; the rest stays on the curve. */
  sharedFee: bigint | null
}

/**
 * Decodes the events that the tokens emit. After graduation a trade through the token is a swap of the pool, and the token's own event only
 * names its maker. The buy that causes the graduation is logged after it, as a trade in the pool, and is the curve's last one.
 */
export function decodeWowTokens(transaction: TransactionLogs, launchpad: string): Required<Omit<DecodedTransaction, 'partialSwaps'>> {
  const makers = new Map<number, Address>()
  const progressByToken = new Map<Address, TokenProgress>()
  const progressOf = (token: Address): TokenProgress => {
    const progress = progressByToken.get(token) ?? { graduating: false, swap: null, sharedFee: null }
    progressByToken.set(token, progress)
    return progress
  }

  const { events, malformed } = decodeEach(transaction, ({ log, source }) => {
    if (source.launchpad !== launchpad) return []
    if (source.role === 'pool' && log.topics[0] === SWAP_TOPIC) progressOf(source.token).swap = log.logIndex
    if (source.role !== 'tokenCurve' && source.role !== 'token') return []
    const { token, role } = source
    const at = { ...eventPosition(log, transaction), token }
    const progress = progressOf(token)
    const tradeTopic = TRADES.get(log.topics[0] ?? '0x')
    if (tradeTopic !== undefined) {
      const trade = decodeTrade(log, tradeTopic)
      const { graduating, swap, sharedFee } = progress
      progressByToken.delete(token)
      if (role === 'tokenCurve' && (trade.onCurve || graduating)) return curveTrade(at, trade, sharedFee)
      if (swap !== null) makers.set(swap, trade.maker)
    } else if (log.topics[0] === FEES) {
      const field = wordsByName(log.data, 5, { creator: 1, platformReferrer: 2, orderReferrer: 3, protocol: 4 })
      progress.sharedFee = field('creator') + field('platformReferrer') + field('orderReferrer') + field('protocol')
      return [{ ...at, kind: 'creatorShare', accruedWei: field('creator') }]
    } else if (log.topics[0] === GRADUATED && role === 'tokenCurve') {
      const graduation: readonly TokenEvent[] = [
        { ...at, kind: 'completed', raised: wordsOf(log.data, 1)(0) },
        { ...at, kind: 'migrated', pool: addressTopic(log.topics, 2) },
      ]
      Object.assign(progress, { graduating: true, swap: null })
      return graduation
    }
    return []
  })
  return { events, malformed, makers }
}

/** Words: `totalEth`, `ethFee`, `ethSold` or `ethBought`, tokens, balance, comment, `totalSupply` if any, `marketType`. */
function decodeTrade(log: ChainLog, { side, withSupply }: TradeTopic) {
  const last = withSupply ? 7 : 6
  const field = wordsByName(log.data, last + 1, { ethFee: 1, eth: 2, tokens: 3, totalSupply: 6, marketType: last })
  return {
    side,
    // The recipient of a buy and the seller: the sender may be a router.
    maker: addressTopic(log.topics, side === 'buy' ? 2 : 1),
    feeWei: field('ethFee'),
    amountWei: field('eth'),
    tokens: field('tokens'),
    supplyAfter: withSupply ? field('totalSupply') : null,
    onCurve: field('marketType') === ON_CURVE,
  }
}

function curveTrade(at: TokenEventPosition, trade: ReturnType<typeof decodeTrade>, sharedFee: bigint | null): readonly TokenEvent[] {
  const { side, maker, tokens, amountWei, feeWei, onCurve } = trade
  const pool = at.token
  const buy = side === 'buy'
  const netWei = buy ? amountWei - feeWei : amountWei + feeWei
  const leaving = sharedFee ?? feeWei
  const moved = buy ? amountWei - leaving : -amountWei - leaving
  // With the graduating buy, the reported supply includes the tokens minted for the pool.
  const supplyAfter = onCurve || trade.supplyAfter === null ? trade.supplyAfter : WOW_CURVE_SUPPLY
  return [
    poolChanged(at, pool, {
      reserves: { mode: 'move', token: buy ? -tokens : tokens, quote: moved },
      price: wowPriceAfter({ side, tokens, netWei, supplyAfter }),
    }),
    { ...at, kind: 'trade', pool, phase: 'curve', side, maker, amountToken: tokens, amountQuote: amountWei, feeQuote: feeWei },
    { ...at, kind: 'curveProgress', raised: { mode: 'move', quote: moved }, targetSupply: WOW_CURVE_SUPPLY },
  ]
}
