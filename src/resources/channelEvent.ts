import type { Address } from '#domain/address.ts'
import type { ChannelPosition, EventPlace } from '#domain/eventPlace.ts'
import type { GraduationStatus } from '#domain/token.ts'
import type { TradeSide } from '#domain/trade.ts'
import type { ValueChange } from './crossings.ts'
import type { Token } from './token.ts'
import type { Trade } from './trades.ts'

/** The channels of events over all tokens. */
export type EventChannelName = 'trades' | 'launches' | 'graduations' | 'crossings'

/** The statuses that the channel `graduations` reports. */
export const GRADUATION_EVENT_STATUSES = ['completed', 'migrated'] as const satisfies readonly GraduationStatus[]
export type GraduationEventStatus = (typeof GRADUATION_EVENT_STATUSES)[number]

/** Something that happened to a token, as a channel reports it. */
export interface ChannelEvent {
  readonly place: EventPlace
  /** How many reorgs have made its block void, so that another event at this place has another number. Only if it was asked for. */
  readonly voids?: number
  readonly token: Address
  /** The maker of a trade; the creator of a token. */
  readonly wallet: Address
  readonly launchpad: string
  /** `null`: no trade. */
  readonly side: TradeSide | null
  /** The amount of a trade in wei of WETH; `null`: not known, or no trade. */
  readonly amountWei: bigint | null
  /** The status that a graduation reached; `null`: no graduation. */
  readonly status: GraduationEventStatus | null
  /** A token is as it is now, without USD values that depend on the present price of ETH. On `crossings`: all values that changed. */
  readonly data: Trade | Token | ValueChange
}

export interface ChannelEventsQuery {
  readonly channel: EventChannelName
  /** Reads only events after this position, and the blocks voided since by reorgs. `null`: no events, only the channel's position. */
  readonly after: ChannelPosition | null
  /** Only events up to this place; `null`: all. */
  readonly through: EventPlace | null
  readonly limit: number
  /**
   * Reads whole blocks, so that `limit` may be exceeded, however many events there are, and with `voids`. Default: none are read if there
   * are more than `MAX_REPLAYED`.
   */
  readonly isComplete?: boolean
}

/** Read in one statement, so that events and reorgs fit together. */
export interface ChannelEvents {
  /** How many reorgs there have been. */
  readonly reorgs: number
  /** The lowest block voided by reorgs that the position does not count: the events may begin again there. `null`: no such reorg. */
  readonly voidFrom: number | null
  /** The end of the newest indexed block. */
  readonly newest: EventPlace
  /** There are more than `MAX_REPLAYED` events, or some are not kept any more. None was read. */
  readonly isTooFar: boolean
  /** The events, in order. */
  readonly events: readonly ChannelEvent[]
}

/** The most events that are sent to a reader after an absence. */
export const MAX_REPLAYED = 10_000
