import { toEventSelector } from 'viem/utils'
import type { Address, Hex } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import type { TradeSide } from '#domain/trade.ts'
import type { Decoded, TransactionLogs } from './adapter.ts'
import { positionOf } from './eventPosition.ts'
import { poolChanged } from './poolChanged.ts'
import type { EventPosition, TokenEvent } from './tokenEvent.ts'
import { SWAP_TOPIC } from './uniswapV3.ts'
import { addressTopic, MalformedLogError, wordsOf } from './words.ts'
import { WOW_CURVE_SUPPLY, wowPriceAfter } from './wowCurve.ts'

const HEAD = 'address,address,address,uint256,uint256,uint256,uint256,uint256,string'

interface TradeTopic {
  readonly side: TradeSide
  readonly withSupply: boolean
}

/** Trades come with the token's supply after them and, from some tokens, without. */
const TRADES: ReadonlyMap<Hex, TradeTopic> = new Map([
  [toEventSelector(`WowTokenBuy(${HEAD},uint256,uint8)`), { side: 'buy', withSupply: true }],
  [toEventSelector(`WowTokenBuy(${HEAD},uint8)`), { side: 'buy', withSupply: false }],
  [toEventSelector(`WowTokenSell(${HEAD},uint256,uint8)`), { side: 'sell', withSupply: true }],
  [toEventSelector(`WowTokenSell(${HEAD},uint8)`), { side: 'sell', withSupply: false }],
])
const FEES = toEventSelector('WowTokenFees(address,address,address,address,uint256,uint256,uint256,uint256)')
const GRADUATED = toEventSelector('WowMarketGraduated(address,address,uint256,uint256,uint256,uint8)')

/** First topics of what the tokens themselves tell. */
export const TOKEN_TOPICS: readonly Hex[] = [...TRADES.keys(), FEES, GRADUATED]

const ON_CURVE = 0n

/** What one token has said so far in a transaction. */
interface Progress {
  /** Graduated, and the buy that did it is still to be told. */
  graduation: readonly TokenEvent[]
  /** The pool's last swap that no trade through the token has claimed. */
  swap: number | null
  /** What the next trade's fee came to when it was shared out: each share is rounded down and the rest stays on the curve. */
  sharedFee: bigint | null
}

/**
 * What the tokens themselves tell. A trade through the token after graduation is the pool's swap and is left to it; of the token's own
 * event only the maker is of use. The buy that graduates the token calls itself one of the pool, comes after the graduation, and is the
 * curve's last trade: it takes effect before the graduation here.
 */
export function decodeWowTokens(transaction: TransactionLogs, launchpad: string): Required<Decoded> {
  const events: TokenEvent[] = []
  const malformed: ChainLog[] = []
  const makers = new Map<number, Address>()
  const progress = new Map<Address, Progress>()
  const progressOf = (token: Address): Progress => {
    const existing = progress.get(token)
    if (existing !== undefined) return existing
    const begun = { graduation: [], swap: null, sharedFee: null }
    progress.set(token, begun)
    return begun
  }

  for (const { log, watched } of transaction.logs) {
    if (watched.launchpad !== launchpad) continue
    if (watched.role === 'pool' && log.topics[0] === SWAP_TOPIC) progressOf(watched.token).swap = log.logIndex
    if (watched.role !== 'tokenCurve' && watched.role !== 'token') continue
    const { token } = watched
    const at = { ...positionOf(log, transaction), token }
    const state = progressOf(token)
    try {
      const topic = TRADES.get(log.topics[0] ?? '0x')
      if (topic !== undefined) {
        const trade = decodeTrade(log, topic)
        const graduation = state.graduation
        if (watched.role === 'tokenCurve' && (trade.onCurve || graduation.length > 0)) {
          events.push(...curveTrade(at, trade, state.sharedFee), ...graduation.map(event => ({ ...event, logIndex: log.logIndex })))
          state.graduation = []
        } else if (state.swap !== null) makers.set(state.swap, trade.maker)
        state.swap = null
        state.sharedFee = null
      } else if (log.topics[0] === FEES) {
        const word = wordsOf(log.data, 5)
        state.sharedFee = word(1) + word(2) + word(3) + word(4)
        events.push({ ...at, kind: 'creatorShare', accruedWei: word(1) })
      } else if (log.topics[0] === GRADUATED && watched.role === 'tokenCurve') {
        const pool = addressTopic(log.topics, 2)
        state.graduation = [
          { ...at, kind: 'completed', raisedWei: wordsOf(log.data, 1)(0) },
          { ...at, kind: 'migrated', pool },
        ]
        state.swap = null
      }
    } catch (error) {
      if (!(error instanceof MalformedLogError)) throw error
      malformed.push(log)
    }
  }
  // A graduation that no buy tells of.
  events.push(...[...progress.values()].flatMap(({ graduation }) => graduation))
  return { events, malformed, makers }
}

interface Trade {
  readonly side: TradeSide
  readonly maker: Address
  readonly tokens: bigint
  /** What the trader paid, fee included, or received, fee taken off. */
  readonly amountWei: bigint
  readonly feeWei: bigint
  readonly supplyAfter: bigint | null
  readonly onCurve: boolean
}

/** `totalEth, ethFee, ethSold or ethBought, tokens, balance, comment, [totalSupply,] marketType`; a buy's `totalEth` may partly come back. */
function decodeTrade(log: ChainLog, { side, withSupply }: TradeTopic): Trade {
  const word = wordsOf(log.data, withSupply ? 8 : 7)
  return {
    side,
    // A router may call for somebody: who gets a buy's tokens and who gives a sell's are the makers.
    maker: addressTopic(log.topics, side === 'buy' ? 2 : 1),
    feeWei: word(1),
    amountWei: word(2),
    tokens: word(3),
    supplyAfter: withSupply ? word(6) : null,
    onCurve: word(withSupply ? 7 : 6) === ON_CURVE,
  }
}

function curveTrade(at: EventPosition & { readonly token: Address }, trade: Trade, sharedFee: bigint | null): readonly TokenEvent[] {
  const { side, maker, tokens, amountWei, feeWei, onCurve } = trade
  const pool = at.token
  const buy = side === 'buy'
  const netWei = buy ? amountWei - feeWei : amountWei + feeWei
  const leaving = sharedFee ?? feeWei
  const moved = buy ? amountWei - leaving : -amountWei - leaving
  // The supply that the graduating buy tells holds the pool's tokens too.
  const supplyAfter = onCurve || trade.supplyAfter === null ? trade.supplyAfter : WOW_CURVE_SUPPLY
  return [
    poolChanged(at, pool, {
      reserves: { mode: 'move', token: buy ? -tokens : tokens, quote: moved },
      priceWeth: wowPriceAfter({ side, tokens, netWei, supplyAfter }),
    }),
    { ...at, kind: 'trade', pool, phase: 'curve', side, maker, amountToken: tokens, amountWei, feeWei },
    { ...at, kind: 'curveProgress', raised: { mode: 'move', wei: moved }, targetSupply: WOW_CURVE_SUPPLY },
  ]
}
