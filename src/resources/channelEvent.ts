import { z } from 'zod'
import type { Address } from '#domain/address.ts'
import { type Decimal, formatDecimal } from '#domain/decimal.ts'
import type { ChannelPosition, EventPlace } from '#domain/eventPlace.ts'
import type { GraduationStatus } from '#domain/token.ts'
import type { TradeSide } from '#domain/trade.ts'
import { type Token, tokenSummaryFields } from './token.ts'
import type { Trade } from './trades.ts'
import { decimalText, timeText, type Wire } from './values.ts'

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

/** The values of a token that the channel `crossings` compares with a bound. */
export const CROSSED_VALUES = ['marketCapWeth', 'marketCapUsd', 'priceWeth', 'priceUsd', 'graduationPercent', 'holders'] as const
export type CrossedValue = (typeof CROSSED_VALUES)[number]

/** A value before and after a block; `null`: not known then. */
export interface ValueMove {
  readonly before: Decimal | null
  readonly after: Decimal | null
}

/** The bound of a subscription, and the direction in which a value has to cross it. */
export interface ValueBound {
  readonly of: CrossedValue
  readonly side: 'above' | 'below'
  readonly value: Decimal
}

/**
 * Whether a block took the value across: from below the bound to it or above, and the other way for `below`. A value that was not known
 * counts as below, so that a token whose first value is above the bound is reported.
 */
export function crosses({ side, value }: ValueBound, { before, after }: ValueMove): boolean {
  if (after === null) return false
  if (side === 'above') return after >= value && (before === null || before < value)
  return after <= value && before !== null && before > value
}

/** A token whose values a block changed. */
export interface ValueChange {
  readonly token: TokenSummary
  readonly timestamp: string
  readonly values: Readonly<Record<CrossedValue, ValueMove>>
}

export const crossingSchema = z
  .object({
    token: z.object(tokenSummaryFields).meta({ id: 'TokenSummary', description: 'What identifies a token.' }),
    of: z.enum(CROSSED_VALUES).describe('The value that crossed the bound.'),
    before: decimalText.nullable().describe('The value before the block, as a decimal. `null`: unknown, as of a token that it launched.'),
    after: decimalText.describe('The value after the block, as a decimal.'),
    timestamp: timeText.describe('Time of the block.'),
  })
  .meta({
    id: 'Crossing',
    description: 'A token whose value crossed the bound of a subscription. A move of the price of ETH alone crosses nothing.',
  })

/** A token whose value crossed a bound. */
export type Crossing = Wire<typeof crossingSchema>
type TokenSummary = Crossing['token'] & { readonly address: Address }

/** @throws `TypeError` when the value is not known after the block, which then crossed no bound */
export function crossingOf({ token, timestamp, values }: ValueChange, of: CrossedValue): Crossing {
  const { before, after } = values[of]
  if (after === null) throw new TypeError(`${of} is not known and crosses nothing`)
  return { token, of, before: before === null ? null : formatDecimal(before), after: formatDecimal(after), timestamp }
}
