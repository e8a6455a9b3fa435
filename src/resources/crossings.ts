import { z } from 'zod'
import type { Address } from '#domain/address.ts'
import { type Decimal, formatDecimal } from '#domain/decimal.ts'
import { tokenSummaryFields } from './tokenSummary.ts'
import { decimalText, timeText } from './values.ts'
import type { Wire } from './wire.ts'

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
