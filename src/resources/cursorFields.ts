import { z } from 'zod'
import type { Address } from '#domain/address.ts'
import { INT32_MAX, MAX_UNIX_SECONDS } from './values.ts'

/* The fields of cursors, restricted to values that the database can compare. */

export const cursorAddress = z.string().regex(/^0x[0-9a-f]{40}$/) as unknown as z.ZodType<Address, string>
export const cursorBalance = z.string().regex(/^\d{1,78}$/)
export const cursorText = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^\P{Cc}*$/u)

export const integerCursor = (max: number) => z.int().min(0).max(max)

const integerTextUpTo = (max: number) => z.string().refine(text => /^\d{1,16}$/.test(text) && Number(text) <= max)
export const cursorTime = integerTextUpTo(MAX_UNIX_SECONDS)
export const cursorCount = integerTextUpTo(INT32_MAX)
export const cursorBlock = integerTextUpTo(Number.MAX_SAFE_INTEGER)
export const cursorDecimal = z.string().regex(/^-?\d{1,120}(\.\d{1,120})?$/)
/** Zero, or a value that a double can hold: PostgreSQL refuses one that overflows or underflows. */
export const cursorDouble = z
  .string()
  .regex(/^-?\d{1,40}(\.\d{1,40})?(e[+-]?\d{1,3})?$/)
  .refine(text => Number.isFinite(Number(text)) && (Number(text) !== 0 || /^-?[0.]+(e|$)/.test(text)))
