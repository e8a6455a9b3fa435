import type { Address } from './address.ts'
import type { GraduationStatus, Token } from './token.ts'
import type { Trade, TradeSide } from './trade.ts'

/** The channels of events over all tokens. */
export type EventChannelName = 'trades' | 'launches' | 'graduations'

/** Where an event is on the chain. Events of a channel are ordered by it. */
export interface EventPlace {
  readonly blockNumber: number
  readonly logIndex: number
}

/** How far a reader of a channel has come. */
export interface ChannelPosition {
  /** Of the last event that it has, or passed over. */
  readonly place: EventPlace
  /** How many reorgs it has heard of. */
  readonly reorgs: number
}

/** Something that happened to a token, as a channel tells of it. */
export interface ChannelEvent {
  readonly place: EventPlace
  readonly token: Address
  /** The maker of a trade; the creator of a token. */
  readonly wallet: Address
  readonly launchpad: string
  /** `null`: no trade. */
  readonly side: TradeSide | null
  /** Of a trade; `null`: not known, or no trade. */
  readonly amountWei: bigint | null
  /** What a graduation came to; `null`: no graduation. */
  readonly status: Extract<GraduationStatus, 'completed' | 'migrated'> | null
  /** The token as it is now. Without USD values. */
  readonly data: Trade | Token
}

export interface ChannelEventsQuery {
  readonly channel: EventChannelName
  /** Only later events, and what became of earlier ones by reorgs that it does not count. `null`: none, only how far the channel is. */
  readonly after: ChannelPosition | null
  /** Only events up to this place; `null`: all. */
  readonly through: EventPlace | null
  readonly limit: number
}

/** Read in one statement, so that events and reorgs fit together. */
export interface ChannelEvents {
  /** How many reorgs there have been. */
  readonly reorgs: number
  /** The lowest block whose events are void by reorgs that the position does not count; `null`: none is. The events then begin with it. */
  readonly voidFrom: number | null
  /** The end of the newest indexed block. */
  readonly newest: EventPlace
  /** There are more than `MAX_REPLAYED` events, none of which was read. */
  readonly isTooFar: boolean
  /** At most `limit`, in order. */
  readonly events: readonly ChannelEvent[]
}

/** Most events that a reader is given after an absence. */
export const MAX_REPLAYED = 10_000

const LAST_LOG_INDEX = 2_147_483_647

/** Before every event: block 0 has none. */
export const FIRST_PLACE: EventPlace = { blockNumber: 0, logIndex: 0 }

/** Negative: `a` is before `b`. */
export function comparePlaces(a: EventPlace, b: EventPlace): number {
  return a.blockNumber - b.blockNumber || a.logIndex - b.logIndex
}

/** After every event of a block. */
export function endOfBlock(blockNumber: number): EventPlace {
  return { blockNumber, logIndex: LAST_LOG_INDEX }
}

/** Where a reader continues that learns of a reorg. */
export function placeAfterReorg(place: EventPlace, voidFrom: number | null): EventPlace {
  return voidFrom !== null && place.blockNumber >= voidFrom ? endOfBlock(Math.max(0, voidFrom - 1)) : place
}

/** `456-12`, as the id of a trade. */
export function formatPlace({ blockNumber, logIndex }: EventPlace): string {
  return `${blockNumber}-${logIndex}`
}
