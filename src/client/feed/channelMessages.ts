import { listRowShape } from '#client/generated/shapes.ts'
import type {
  CandlesMessage,
  EventsSubscribed,
  GapMessage,
  GraduationsMessage,
  LaunchesMessage,
  ListRow,
  ReorgMessage,
  TradesMessage,
} from '#client/generated/types.ts'
import { choice, listOf, nullable, object, type Shape, string, whole } from '#client/rest/shape.ts'
import { MAX_LIST_ROWS } from '#protocol/limits.ts'

/** A client's position in a channel of events. Store it, and pass it as `after` and `reorgs` to continue there. */
export type LivePosition = Pick<TradesMessage, 'cursor' | 'reorgs'>

/** Trades of one block. */
export type TradesEvent = Omit<TradesMessage, 'id'>

/** Launched tokens of one block, as they are now. */
export type LaunchesEvent = Omit<LaunchesMessage, 'id'>

/** Tokens of one block that reached their target, or whose liquidity has moved to a pool. */
export type GraduationsEvent = Omit<GraduationsMessage, 'id'>

/** Delivered events of `fromBlock` and later blocks are void. The events that replace them follow. */
export type ReorgEvent = Omit<ReorgMessage, 'id'>

/** A list as the client hands it on: rows are objects. */
export interface ListMessage {
  readonly type: 'list'
  readonly id: string
  readonly sequence: number
  readonly asOfBlock: string | null
  readonly data: readonly ListRow[]
}

export interface StateSubscribed {
  readonly type: 'subscribed'
  readonly id: string
  readonly channel: 'list' | 'candles'
}

/** A message of a channel. Rows of a list are objects. */
export type ChannelMessage =
  | EventsSubscribed
  | StateSubscribed
  | TradesMessage
  | LaunchesMessage
  | GraduationsMessage
  | ReorgMessage
  | GapMessage
  | ListMessage
  | CandlesMessage

export const stateSubscribedShape: Shape<StateSubscribed> = object({
  type: choice('subscribed'),
  id: string,
  channel: choice('list', 'candles'),
})

export const listShape: Shape<ListMessage> = object({
  type: choice('list'),
  id: string,
  sequence: whole(0),
  asOfBlock: nullable(string),
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
