import { z } from 'zod'
import { type ChannelPosition, comparePlaces, type EventPlace, FIRST_PLACE, placeAfterReorg } from '#domain/eventPlace.ts'
import { TRADE_SIDES } from '#domain/trade.ts'
import {
  addressParameter,
  type Bounds,
  contradictingBounds,
  decimalParameter,
  integerParameter,
  launchpadParameter,
  listParameter,
  pageParameters,
  tokenParameter,
  unixSeconds,
  wordParameter,
} from './parameters.ts'
import { cursorBalance, defineList, integerCursor, type QueryOf } from './resource.ts'
import { addressText, count, decimalText, hashText, integerText, poolAddressText, timeText, type Wire } from './values.ts'

export const tradeSchema = z
  .object({
    id: z
      .string()
      .regex(/^\d+-\d+$/)
      .describe('`<blockNumber>-<logIndex>`, which is also the order of trades.'),
    token: addressText.describe('Address of the token.'),
    pool: poolAddressText.describe('The pool or curve of the trade, as `pool.address` of a token.'),
    phase: z.enum(['curve', 'pool']).describe('Whether the trade was on the launchpad’s curve or in a pool.'),
    side: z.enum(['buy', 'sell']).describe('Whether the maker bought or sold the token.'),
    maker: addressText.describe('The account that traded.'),
    amountToken: integerText.describe('Tokens bought or sold, in the smallest unit.'),
    amountQuote: integerText.describe('Paid, fee included, or received, fee taken off, in the pool’s quote currency, smallest unit.'),
    amountWeth: decimalText
      .nullable()
      .describe(
        'WETH that the maker paid, fee included, or received, fee taken off. `null`: the quote currency’s rate in WETH is unknown.',
      ),
    priceWeth: decimalText.nullable().describe('This trade’s own average price without the fee, in WETH per whole token. `null`: unknown.'),
    priceAfterWeth: decimalText
      .nullable()
      .describe('The market’s price after the trade, as in candles, in WETH per whole token. `null`: unknown.'),
    priceUsd: decimalText
      .nullable()
      .describe(
        'The same price as `priceWeth` in USD: at the ETH price at the time of indexing, or by a peg of the quote ' +
          'currency. `null`: unknown.',
      ),
    valueUsd: decimalText
      .nullable()
      .describe(
        'The same value as `amountWeth` in USD: at the ETH price at the time of indexing, or by a peg of the quote ' +
          'currency. `null`: unknown.',
      ),
    feeWeth: decimalText.nullable().describe('Fee of the trade, in WETH. `null`: unknown.'),
    blockNumber: integerText.describe('Number of the trade’s block.'),
    blockHash: hashText.describe('Hash of the trade’s block.'),
    txHash: hashText.describe('Hash of the trade’s transaction.'),
    txIndex: count.describe('Index of the transaction in the block.'),
    logIndex: count.describe('Index of the trade’s log in the block.'),
    timestamp: timeText.describe('Time of the trade’s block.'),
  })
  .meta({ id: 'Trade', description: 'One swap of a token, from the event of its pool or curve.' })

/** One swap of the token, identified and ordered by (block number, log index). */
export type Trade = Wire<typeof tradeSchema>

const cursor = z.object({ blockNumber: integerCursor(Number.MAX_SAFE_INTEGER), logIndex: integerCursor(Number.MAX_SAFE_INTEGER) })
export type TradeCursor = Wire<typeof cursor>

/** Lists by size begin after a value, too. */
const tokenCursor = cursor.extend({ amountWei: cursorBalance.nullish() })
export type TokenTradeCursor = Wire<typeof tokenCursor>

/** Reads the `id` of a trade; `null` for another text. */
export function parseTradeId(id: string): TradeCursor | null {
  const match = /^(0|[1-9]\d{0,15})-(0|[1-9]\d{0,15})$/.exec(id)
  const parsed = cursor.safeParse({ blockNumber: Number(match?.[1]), logIndex: Number(match?.[2]) })
  return match !== null && parsed.success ? parsed.data : null
}

const blockNumber = integerParameter(0, Number.MAX_SAFE_INTEGER)

/** Parameters of every list of trades. */
const filters = {
  side: wordParameter(TRADE_SIDES).exactOptional().describe('Only buys, or only sells.'),
  minWeth: decimalParameter.exactOptional().describe('Only trades of at least this amount of WETH, fee included.'),
  fromBlock: blockNumber.exactOptional().describe('Number of the first block, inclusive.'),
  toBlock: blockNumber.exactOptional().describe('Number of the last block, inclusive.'),
  from: unixSeconds.exactOptional().describe('Earliest block time in Unix seconds, inclusive.'),
  to: unixSeconds.exactOptional().describe('Latest block time in Unix seconds, inclusive.'),
  order: wordParameter(['asc', 'desc']).default('desc').describe('`desc`: newest first.'),
  after: z
    .string({ error: '<block>-<logIndex>, as the id of a trade' })
    .refine(text => parseTradeId(text) !== null)
    .exactOptional()
    .describe('Only trades after this place: `<block>-<logIndex>`, the `id` of a trade. Needs `order=asc`.'),
  ...pageParameters({ max: 500, default: 50 }),
}

/** Further parameters of lists of trades over many tokens. */
const marketFilters = {
  tokens: listParameter(addressParameter, 100, 'addresses (0x and 40 hex digits)').exactOptional().describe('Only trades of these tokens.'),
  launchpad: launchpadParameter.exactOptional().describe('Only trades of tokens of these launchpads.'),
}

interface ListedValues extends Bounds {
  readonly after?: string | undefined
  readonly order: 'asc' | 'desc'
}

const list = {
  name: 'TradeList',
  meaning: 'A page of trades.',
  item: tradeSchema,
  cursor: () => cursor,
  contradiction: (values: ListedValues) =>
    contradictingBounds(values) ?? (values.after !== undefined && values.order === 'desc' ? 'after needs order=asc' : null),
  start: ({ after }: ListedValues) => (after === undefined ? null : parseTradeId(after)),
} as const

/** Parameters that don't go with `sort=size`, whose index has no places and accounts. */
const BY_TIME_ONLY = ['maker', 'fromBlock', 'toBlock', 'from', 'to', 'after'] as const

export const trades = defineList({
  ...list,
  cursor: () => tokenCursor,
  contradiction: values => {
    const excluded = values.sort === 'size' ? BY_TIME_ONLY.find(name => values[name] !== undefined) : undefined
    return excluded === undefined ? list.contradiction(values) : `sort=size takes no ${excluded}`
  },
  id: 'listTrades',
  tag: 'Tokens',
  path: '/api/tokens/:address/trades',
  summary: 'Trades of a token, by block and log index or by size',
  parameters: z.object({
    address: tokenParameter,
    sort: wordParameter(['time', 'size'])
      .exactOptional()
      .describe(
        '`time`, the default: by block and log index. `size`: by the value in WETH, the largest first unless `order=asc`; without trades of ' +
          'an unknown value. Goes with `side`, `minWeth`, `order` and pages alone.',
      ),
    maker: addressParameter.exactOptional().describe('Only trades of this account.'),
    ...filters,
  }),
})

const market = {
  ...list,
  outdatedBy: 'commit',
  problems: ['data_unavailable'],
} as const

export const marketTrades = defineList({
  ...market,
  id: 'listMarketTrades',
  tag: 'Market',
  path: '/api/trades',
  summary: 'Trades over all tokens, by block and log index',
  parameters: z.object({
    makers: listParameter(addressParameter, 20, 'addresses (0x and 40 hex digits)')
      .exactOptional()
      .describe('Only trades of these accounts.'),
    ...marketFilters,
    ...filters,
  }),
})

export const walletTrades = defineList({
  ...market,
  id: 'listWalletTrades',
  tag: 'Wallets',
  path: '/api/wallets/:address/trades',
  summary: 'Trades of a wallet over all tokens, by block and log index',
  parameters: z.object({ address: addressParameter.describe('Address of the wallet.'), ...marketFilters, ...filters }),
})

export type TradesQuery = Omit<QueryOf<typeof trades>, 'after'>
export type MarketTradesQuery = Omit<QueryOf<typeof marketTrades>, 'after'>

/** The newest trades of a token and the newest reorgs: enough to say what has changed since an earlier state of the token. */
export interface RecentTrades {
  /** All trades later than `after`, newest last. */
  readonly trades: readonly Trade[]
  readonly after: EventPlace
  /** How many reorgs there have been. */
  readonly reorgs: number
  /** The first void block of each of the newest reorgs, newest last. */
  readonly voidFrom: readonly number[]
}

/** The trades of a state that an earlier state lacks. */
export interface TradesSince {
  /** Newest last. `null`: not all of them are known. */
  readonly trades: readonly Trade[] | null
  /** Trades of the earlier state from this block on are void; `null`: none is. */
  readonly replacedFrom: number | null
}

/** Where a state of a token stands: at its newest trade. */
export function positionOf({ trades, after, reorgs }: RecentTrades): ChannelPosition {
  const newest = trades.at(-1)
  return { place: newest === undefined ? after : placeOfTrade(newest), reorgs }
}

/**
 * The trades that a state has and an earlier state lacks. The result is exact: dropping the earlier state's trades from `replacedFrom` on
 * and adding `trades` gives the trades of this state.
 *
 * @param earlier `null`: not known
 */
export function tradesSince(recent: RecentTrades, earlier: ChannelPosition | null): TradesSince {
  if (earlier === null) return { trades: null, replacedFrom: null }
  const replacedFrom = voidSince(recent, earlier.reorgs)
  const place = placeAfterReorg(earlier.place, replacedFrom)
  if (comparePlaces(place, recent.after) < 0) return { trades: null, replacedFrom }
  return { trades: recent.trades.filter(trade => comparePlaces(placeOfTrade(trade), place) > 0), replacedFrom }
}

/** All blocks are void when older reorgs are missing here, or when fewer reorgs are counted than before: the database is another one. */
function voidSince({ reorgs, voidFrom }: RecentTrades, earlier: number): number | null {
  if (reorgs === earlier) return null
  const since = reorgs - earlier
  return since < 0 || since > voidFrom.length ? FIRST_PLACE.blockNumber : Math.min(...voidFrom.slice(-since))
}

/** The place of a trade as numbers, in place of the text of a block number. */
export function placeOfTrade({ blockNumber, logIndex }: Pick<Trade, 'blockNumber' | 'logIndex'>): EventPlace {
  return { blockNumber: Number(blockNumber), logIndex }
}
