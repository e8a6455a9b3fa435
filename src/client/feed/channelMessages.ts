import type {
  CandlesMessage,
  CrossingsMessage,
  EventsSubscribed,
  GapMessage,
  GraduationsMessage,
  LaunchesMessage,
  ListRow,
  ReorgMessage,
  TradesMessage,
} from '#client/generated/types.ts'

/** A client's position in a channel of events. Store it, and pass it as `after` and `reorgs` to continue there. */
export type LivePosition = Pick<TradesMessage, 'cursor' | 'reorgs'>

/** Trades of one block. */
export type TradesEvent = Omit<TradesMessage, 'id'>

/** Launched tokens of one block, as they are now. */
export type LaunchesEvent = Omit<LaunchesMessage, 'id'>

/** Tokens of one block that reached their target, or whose liquidity has moved to a pool. */
export type GraduationsEvent = Omit<GraduationsMessage, 'id'>

/** Tokens whose value crossed the bound with the commit of one block. */
export type CrossingsEvent = Omit<CrossingsMessage, 'id'>

/** Delivered events of `fromBlock` and later blocks are void. The events that replace them follow. */
export type ReorgEvent = Omit<ReorgMessage, 'id'>

/** A list as the client hands it on: rows are objects. */
export interface ListMessage {
  readonly type: 'list'
  readonly id: string
  readonly sequence: number
  readonly asOfBlock: string | null
  readonly data: readonly ListRow[]
  readonly matches: number | null | undefined
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
  | CrossingsMessage
  | ReorgMessage
  | GapMessage
  | ListMessage
  | CandlesMessage
