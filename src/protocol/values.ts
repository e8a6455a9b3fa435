import { z } from 'zod'
import type { Address, Hex } from '#domain/address.ts'

/*
 * How single values look on the wire. A schema of a branded type stays a plain string schema at run time (so that it can be printed as
 * JSON Schema); only its type says what a value that passed it is.
 */

const plain = (pattern: RegExp) => z.string().regex(pattern)

export const address = plain(/^0x[0-9a-f]{40}$/) as unknown as z.ZodType<Address, string>
export const hash = plain(/^0x[0-9a-f]{64}$/) as unknown as z.ZodType<Hex, string>
/** A contract, or a Uniswap v4 pool id. */
export const poolAddress = plain(/^0x(?:[0-9a-f]{40}|[0-9a-f]{64})$/) as unknown as z.ZodType<Hex, string>
export const callData = plain(/^0x(?:[0-9a-f]{2})*$/) as unknown as z.ZodType<Hex, string>

/** A raw integer amount or block number. */
export const integer = plain(/^(?:0|[1-9][0-9]*)$/)
/** A price, value or volume: plain decimal, no exponent. */
export const decimal = plain(/^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/)
/** ISO 8601 in UTC with milliseconds. */
export const time = plain(/^[+-]?\d{4,6}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)

export const count = z.number().int().min(0)
export const percent = z.number().min(0).max(100)
export const sequence = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER)
