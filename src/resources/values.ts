import { z } from 'zod'
import type { Address, Hex } from '#domain/address.ts'
import { formatAmount, multiplyTexts, parseDecimal } from '#domain/decimal.ts'

/*
 * Single values on the wire. The schema of a branded type is a plain string schema at run time, so that it can be written as JSON Schema;
 * only its TypeScript type is branded.
 */

const plain = (pattern: RegExp) => z.string().regex(pattern)

/** The end of the description of words for which the client takes any text. */
export const MAY_GROW = 'Later versions may add words.'

export const addressText = plain(/^0x[0-9a-f]{40}$/) as unknown as z.ZodType<Address, string>
/** An address as clients may write it, in any letter case. */
export const anyCaseAddressText = plain(/^0x[0-9a-fA-F]{40}$/)
export const hashText = plain(/^0x[0-9a-f]{64}$/) as unknown as z.ZodType<Hex, string>
/** The address of a contract, or a Uniswap v4 pool id. */
export const poolAddressText = plain(/^0x(?:[0-9a-f]{40}|[0-9a-f]{64})$/) as unknown as z.ZodType<Hex, string>
export const callDataText = plain(/^0x(?:[0-9a-f]{2})*$/) as unknown as z.ZodType<Hex, string>

/** A raw integer amount or block number. */
export const integerText = plain(/^(?:0|[1-9][0-9]*)$/)
/** A price, value or volume: plain decimal, no exponent. */
export const decimalText = plain(/^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/)
/** ISO 8601 in UTC with milliseconds. */
export const timeText = plain(/^[+-]?\d{4,6}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)

export const count = z.number().int().min(0)
export const percent = z.number().min(0).max(100)
export const sequence = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER)

/** 9999-12-31, the last second with a year of four digits in ISO 8601. */
export const MAX_UNIX_SECONDS = 253_402_300_799

export const INT32_MAX = 2_147_483_647

/** The field `type` of a message. */
export function messageType<const Type extends string>(type: Type) {
  return z.literal(type).describe('Type of the message.')
}

export const SEQUENCE_MEANING =
  'Strictly rises per token, and is the same in REST, WebSocket and SSE: the commit time in Unix ms, or the ' +
  'previous sequence plus 1 if that is larger.'

/** The currencies that are valued in USD by address: WETH by the ETH price, the others by their peg. */
export interface UsdCurrencies {
  readonly weth: Address
  readonly pegUsd?: readonly { readonly token: Address; readonly decimals: number }[]
}

/** The present price of ETH in USD (`null`: unknown), and the currencies that are valued in USD. */
export interface PresentPrices {
  readonly ethUsd: string | null
  readonly currencies: UsdCurrencies
}

/** USD for a plain decimal WETH value; `null` when the value or the price (USD per ETH) is not known. */
export function toUsd(weth: string | null, ethUsd: string | null): string | null {
  return weth === null || ethUsd === null ? null : multiplyTexts(weth, ethUsd)
}

/** The same for what somebody holds, rounded to 18 decimals. */
export function toUsdAmount(weth: string | null, ethUsd: string | null): string | null {
  const usd = toUsd(weth, ethUsd)
  return usd === null ? null : formatAmount(parseDecimal(usd))
}

/** The value that a schema describes, as it goes over the wire. Nothing in it can be changed. */
export type Wire<Schema extends z.ZodType> = ReadOnly<z.output<Schema>>

type ReadOnly<T> = T extends string | number | boolean | null | undefined
  ? T
  : T extends readonly (infer Item)[]
    ? readonly ReadOnly<Item>[]
    : { readonly [Key in keyof T]: ReadOnly<T[Key]> }
