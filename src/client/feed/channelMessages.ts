import {
  addressShape as address,
  candleShape,
  sequenceShape as count,
  decimalOrNullShape as decimal,
  integerShape as integer,
  textOrNullShape as text,
  timeShape as time,
  tokenShape,
  tradeShape,
} from '#client/rest/resourceShapes.ts'
import { choice, listOf, nullable, number, object, pattern, type Shape, string } from '#client/rest/shape.ts'
import type { Address } from '#domain/address.ts'
import type { Candle } from '#domain/candle.ts'
import type { GraduationStatus, Token } from '#domain/token.ts'
import type { Trade } from '#domain/trade.ts'
import { MAX_LIST_ROWS, MAX_MESSAGE_CANDLES } from '#protocol/limits.ts'

/** A client's position in a channel of events. Store it, and pass it as `after` and `reorgs` to continue there. */
export interface LivePosition {
  /** `<block>-<logIndex>` of the last event. */
  readonly cursor: string
  /** How many reorgs the position knows of. */
  readonly reorgs: number
}

interface OfBlock<T> extends LivePosition {
  readonly block: string
  /** In order. */
  readonly data: readonly T[]
}

/** Trades of one block. */
export interface TradesEvent extends OfBlock<Trade> {
  readonly type: 'trades'
}

/** Launched tokens of one block, as they are now. */
export interface LaunchesEvent extends OfBlock<Token> {
  readonly type: 'launches'
}

/** Tokens of one block that reached their target, or whose liquidity has moved to a pool. */
export interface GraduationsEvent extends OfBlock<Token> {
  readonly type: 'graduations'
  readonly status: Extract<GraduationStatus, 'completed' | 'migrated'>
}

/** Delivered events of `fromBlock` and later blocks are void. The events that replace them follow. */
export interface ReorgEvent extends LivePosition {
  readonly type: 'reorg'
  readonly fromBlock: string
}

/** A row of a list. Symbols and names have at most 32 characters, prices and values ten significant digits. */
export interface ListRow {
  readonly address: Address
  readonly symbol: string | null
  readonly name: string | null
  readonly imageUrl: string | null
  readonly launchpad: string
  readonly status: GraduationStatus
  readonly percent: number | null
  readonly priceWeth: string | null
  readonly priceUsd: string | null
  readonly marketCapWeth: string | null
  readonly marketCapUsd: string | null
  readonly liquidityWeth: string | null
  readonly priceChange5m: number | null
  readonly priceChange1h: number | null
  readonly priceChange24h: number | null
  readonly volume5m: string | null
  readonly volume1h: string | null
  readonly volume24h: string | null
  readonly trades24h: number
  readonly holders: number
  readonly createdAt: string
  readonly lastTradeAt: string | null
}

interface Named {
  readonly id: string
}

export interface ListMessage extends Named {
  readonly type: 'list'
  readonly sequence: number
  readonly asOfBlock: string | null
  readonly data: readonly ListRow[]
}

export interface CandlesMessage extends Named {
  readonly type: 'candles'
  readonly sequence: number
  /** Unix seconds: `data` replaces all candles of this time and later ones. 0: all. */
  readonly from: number
  readonly data: readonly Candle[]
}

export interface GapMessage extends Named {
  readonly type: 'gap'
  readonly from: string
  readonly to: string
  readonly reorgs: number
}

export type EventsSubscribed = Named &
  LivePosition & { readonly type: 'subscribed'; readonly channel: 'trades' | 'launches' | 'graduations' }
export type StateSubscribed = Named & { readonly type: 'subscribed'; readonly channel: 'list' | 'candles' }

/** A message of a channel. Rows of a list are objects. */
export type ChannelMessage =
  | EventsSubscribed
  | StateSubscribed
  | (Named & (TradesEvent | LaunchesEvent | GraduationsEvent | ReorgEvent))
  | GapMessage
  | ListMessage
  | CandlesMessage

const place = pattern(/^(?:0|[1-9][0-9]*)-(?:0|[1-9][0-9]*)$/)
const id = { id: string }
const position = { ...id, cursor: place, reorgs: count }
const ofBlock = { ...position, block: integer }

export const eventsSubscribedShape: Shape<EventsSubscribed> = object({
  type: choice('subscribed'),
  ...position,
  channel: choice('trades', 'launches', 'graduations'),
})
export const stateSubscribedShape: Shape<StateSubscribed> = object({
  type: choice('subscribed'),
  ...id,
  channel: choice('list', 'candles'),
})

export const tradesShape: Shape<Named & TradesEvent> = object({ type: choice('trades'), ...ofBlock, data: listOf(tradeShape) })

export const launchesShape: Shape<Named & LaunchesEvent> = object({ type: choice('launches'), ...ofBlock, data: listOf(tokenShape) })

export const graduationsShape: Shape<Named & GraduationsEvent> = object({
  type: choice('graduations'),
  ...ofBlock,
  status: choice('completed', 'migrated'),
  data: listOf(tokenShape),
})

export const reorgShape: Shape<Named & ReorgEvent> = object({ type: choice('reorg'), ...position, fromBlock: integer })

export const gapShape: Shape<GapMessage> = object({ type: choice('gap'), ...id, from: place, to: place, reorgs: count })

export const candlesShape: Shape<CandlesMessage> = object({
  type: choice('candles'),
  ...id,
  sequence: count,
  from: count,
  data: listOf(candleShape, MAX_MESSAGE_CANDLES),
})

const change = nullable(number())

export const listRowShape: Shape<ListRow> = object({
  address,
  symbol: text,
  name: text,
  imageUrl: text,
  launchpad: string,
  status: choice('none', 'bonding', 'completed', 'migrated'),
  percent: change,
  priceWeth: decimal,
  priceUsd: decimal,
  marketCapWeth: decimal,
  marketCapUsd: decimal,
  liquidityWeth: decimal,
  priceChange5m: change,
  priceChange1h: change,
  priceChange24h: change,
  volume5m: decimal,
  volume1h: decimal,
  volume24h: decimal,
  trades24h: count,
  holders: count,
  createdAt: time,
  lastTradeAt: nullable(time),
})

export const listShape: Shape<ListMessage> = object({
  type: choice('list'),
  ...id,
  sequence: count,
  asOfBlock: nullable(integer),
  data: listOf(listRowShape, MAX_LIST_ROWS),
})

/** The message with rows as objects in place of arrays. Data that is not a list of arrays is left as it is, and fits no shape. */
export function withRows(message: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { columns, data } = message
  if (!Array.isArray(columns) || !Array.isArray(data) || data.length > MAX_LIST_ROWS) return message
  const rowOf = (cells: unknown) =>
    Array.isArray(cells) ? Object.fromEntries(columns.map((column, index) => [column, cells[index] as unknown])) : cells
  return { ...message, data: data.map(rowOf) }
}
