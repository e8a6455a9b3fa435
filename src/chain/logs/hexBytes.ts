import type { Buffer } from 'node:buffer'
import type { Hex } from '#domain/address.ts'

/*
 * Hex inside an answer, looked at and told apart without a string of it. Most of an answer of logs are the same few addresses, topics and hashes again and
 * again.
 */

const DIGIT_ZERO = 0x30
const DIGIT_X = 0x78
const CAPITAL = 0x10
const NO_DIGIT = 0x80

/** Of a digit its value, of a capital one with `CAPITAL`; of all others `NO_DIGIT`. */
const DIGITS = new Uint8Array(256).fill(NO_DIGIT)
for (const digit of '0123456789abcdef') DIGITS[digit.charCodeAt(0)] = Number.parseInt(digit, 16)
for (const digit of 'ABCDEF') DIGITS[digit.charCodeAt(0)] = Number.parseInt(digit, 16) | CAPITAL

/** Where the digits end that follow `0x` at `at`; -1 when there is no `0x`. */
export function endOfHex(bytes: Buffer, at: number): number {
  if (bytes[at] !== DIGIT_ZERO || bytes[at + 1] !== DIGIT_X) return -1
  let next = at + 2
  while (((DIGITS[bytes[next] ?? 0] ?? NO_DIGIT) & NO_DIGIT) === 0) next++
  return next
}

/** The hex between two places, which is hex, in lower case. */
export function sliceHex(bytes: Buffer, from: number, to: number): Hex {
  const text = bytes.toString('latin1', from, to)
  for (let at = from + 2; at < to; at++) if (((DIGITS[bytes[at] ?? 0] ?? 0) & CAPITAL) !== 0) return text.toLowerCase() as Hex
  return text as Hex
}

/** The number that the digits after the `0x` at `at` say; exact for 13 digits. */
export function readHexNumber(bytes: Buffer, at: number, to: number): number {
  let value = 0
  for (let next = at + 2; next < to; next++) value = value * 16 + ((DIGITS[bytes[next] ?? 0] ?? 0) & 0x0f)
  return value
}

/** Whether so many bytes are the same at both places. */
export function isSame(bytes: Buffer, one: number, other: number, length: number): boolean {
  for (let index = 0; index < length; index++) if (bytes[one + index] !== bytes[other + index]) return false
  return true
}

const SLOTS = 16_384
const HASHED_DIGITS = 16

/**
 * The last hex texts, each kept once: what is read again is the same string, which is compared and looked up at once, and costs neither memory nor its
 * checks. Each has one slot, which the next text that falls there takes.
 */
export class HexTexts {
  readonly #slots: (Hex | undefined)[] = Array.from({ length: SLOTS })

  find(bytes: Buffer, from: number, to: number): Hex | undefined {
    const known = this.#slots[slotOf(bytes, to)]
    return known !== undefined && isText(bytes, from, to, known) ? known : undefined
  }

  /** @param text what stands before `to`, in lower case */
  keep(bytes: Buffer, to: number, text: Hex): Hex {
    this.#slots[slotOf(bytes, to)] = text
    return text
  }
}

/** By the last digits: addresses in topics and small numbers begin with zeros. */
function slotOf(bytes: Buffer, to: number): number {
  let hash = 0
  for (let at = to - HASHED_DIGITS; at < to; at++) hash = (Math.imul(hash, 31) + (bytes[at] ?? 0)) | 0
  return (hash ^ (hash >>> 15)) & (SLOTS - 1)
}

function isText(bytes: Buffer, from: number, to: number, text: Hex): boolean {
  if (to - from !== text.length) return false
  for (let index = 0; index < text.length; index++) if (bytes[from + index] !== text.charCodeAt(index)) return false
  return true
}
